#pragma once
// The first tick at which two builds, two recordings, or one of each part.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/trial_runner.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

/// One of the two: a recording, a build, or a recording with the build that made it.
struct TickSide {
    std::string recording;               ///< empty: a build alone
    const TrialRunner* build = nullptr;  ///< null: the stored hashes are all there is
};

/// What was compared, and what it came to. States are counted by the ticks that made them.
struct ComparedTicks {
    std::uint64_t ticks = 0;  ///< that both sides have
    /// The first state in which the two differ; where it is not exact, the first whose hashes are
    /// there on both sides. Its hashes, of a and b.
    std::optional<std::uint64_t> ticks_done;
    std::array<core::StateHash, 2> hashes{};
    std::optional<std::uint64_t> last_agreed;  ///< the last state before that agreed
    std::uint64_t ticks_run = 0;               ///< by both builds together
    /// Of a and b: a build that ended otherwise than a replay should. What it did before counts.
    std::array<std::optional<TrialResult>, 2> failed{};

    /// No state between the two was skipped.
    [[nodiscard]] bool exact() const {
        return ticks_done && *ticks_done == (last_agreed ? *last_agreed + 1 : 0);
    }
};

/// Plays the session of the recording `session` to the builds, once each at most, and holds the
/// hash of every tick of one side against that of the other. Fails with `usage` where two
/// recordings have different sessions, or where a build does not come to the hashes of the
/// recording that it is said to have made.
[[nodiscard]] core::Result<ComparedTicks> find_parted_tick(const std::string& session,
                                                           const TickSide& a, const TickSide& b,
                                                           const core::Settings& environment);

}  // namespace isotick::harness
