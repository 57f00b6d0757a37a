#pragma once
// Which part of a session a time line shows, and what went wrong when.

#include <isotick/harness/lockstep.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

inline constexpr std::int64_t kLongestWindow = 30'000'000'000;

/// A moment at which a session went wrong.
struct Failure {
    std::uint32_t peer = 0;
    std::int64_t at_ns = 0;
    std::string text;  ///< `diverged at tick 512`
};

/// None where all peers agreed, or did not come to disagree in a frame that is known.
[[nodiscard]] std::optional<Failure> failure_of(const LockstepTrial& trial);

/// A part of a session, from its beginning on.
struct Window {
    std::int64_t from_ns = 0;
    std::int64_t to_ns = 0;

    [[nodiscard]] std::int64_t length() const { return to_ns - from_ns; }
    [[nodiscard]] bool has(std::int64_t at_ns) const { return from_ns <= at_ns && at_ns <= to_ns; }
    friend bool operator==(const Window&, const Window&) = default;
};

/// All of a session of `length_ns`, or a part of kLongestWindow: two thirds of it before
/// `around_ns`, where there is such a moment.
[[nodiscard]] Window window_of(std::int64_t length_ns, std::optional<std::int64_t> around_ns);

}  // namespace isotick::harness
