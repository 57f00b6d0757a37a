#pragma once
// The clocks of the system and the waits that follow them, from one setting.

#include <ctime>

namespace isotick::harness::preload {

// The clocks as the trial shows them.

/// Whether they are other than usual.
[[nodiscard]] bool clocks_are_changed();

/// What the system says, without anything changed.
[[nodiscard]] timespec real_time(clockid_t clock);

/// What `real` of that clock is shown as. Clocks that nothing changes stay as they are.
[[nodiscard]] timespec shown(clockid_t clock, const timespec& real);

/// The same for a look at the clock, which may take some time itself.
[[nodiscard]] timespec looked_at(clockid_t clock, const timespec& real);

/// When a wait until `deadline`, as the clock is shown, ends on the real clock.
[[nodiscard]] timespec real_deadline(clockid_t clock, const timespec& deadline);

/// The clock that a deadline is of where the call does not say: the nearer one of date and
/// monotonic clock.
[[nodiscard]] clockid_t clock_of(const timespec& deadline);

}  // namespace isotick::harness::preload
