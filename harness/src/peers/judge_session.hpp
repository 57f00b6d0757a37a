#pragma once
// What a session of peers came to, and why.

#include "peer_trials.hpp"

namespace isotick::harness {

/// Sets the verdict of a trial whose peers have been run, and the reason.
void judge_session(LockstepTrial& trial);

/// Looks into a trial that diverged: is it the same again in a fresh process, where did which peer
/// part from the offline replay, and what did the peers notice? `trials` made `trial`.
[[nodiscard]] core::Result<void> explain_session(LockstepTrial& trial, const PeerTrials& trials,
                                                 const SessionSource& source);

/// The outcome that parted first from the offline replay; none where none did.
[[nodiscard]] std::optional<std::size_t> first_to_part(const LockstepTrial& trial);

}  // namespace isotick::harness
