#pragma once
// The axis `rollback`: runs ahead on guessed inputs, goes back, and runs on.

#include <isotick/core/time.hpp>
#include <isotick/harness/detail/course.hpp>

#include <cstdint>
#include <optional>

namespace isotick::harness {

// A session that goes back in time again and again, as rollback netcode does.

/// How much of going back is done.
enum class RollbackPart : std::uint8_t {
    saves,    ///< a snapshot before each tick, and none is loaded
    reloads,  ///< each is loaded at once, with nothing in between
    all,      ///< ticks are run ahead, undone and run again
};

struct RollbackOptions {
    RollbackPart part = RollbackPart::all;  ///< all else counts only where that is `all`
    std::uint32_t depth = 1;                ///< ticks undone at a time; at least 1
    /// Goes back `depth` ticks behind each so many new ones, in nominal frames; at least 1. None:
    /// each tick is undone once, 1 to `depth` of them at a time, in frames of drawn lengths.
    std::optional<std::uint32_t> every{};
    bool right_guesses = false;  ///< ticks that are undone run on the right inputs, too
    std::uint64_t seed = 0;      ///< of all that is drawn
};

/// The course of a session of so many ticks. Fails with `usage` where it would have more steps than
/// a course may have. One snapshot at a time is enough for it.
[[nodiscard]] core::Result<Course> rollback_course(const RollbackOptions& options,
                                                   std::uint64_t ticks, core::TickRate rate);

}  // namespace isotick::harness
