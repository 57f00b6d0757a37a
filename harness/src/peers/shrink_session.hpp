#pragma once
// From a session of peers that fails to the least that still makes it fail.

#include "peer_trials.hpp"

namespace isotick::harness {

/// What is spent where the user doesn't say: so many times the ticks up to the divergence, or this
/// number of ticks if that is more.
inline constexpr std::uint64_t kUsualSessionReplays = 120;
inline constexpr std::uint64_t kLeastSessionTicks = 20'000;

/// Makes the session of a trial that diverged smaller, as long as the same peer still diverges: no
/// events, fewer peers, nominal frames, a network that does less, in the end packet by packet where
/// that is no longer text than the trial's plan. It diverges no later, or, where it needs events,
/// within two seconds of the last one. The trial is then the smaller one, explained. One that did
/// not diverge is left as it is.
[[nodiscard]] core::Result<void> shrink_session(LockstepTrial& trial, const SessionSource& source);

}  // namespace isotick::harness
