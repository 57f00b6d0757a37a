#pragma once
// Recording a session again whose nominal replay fails.

#include <isotick/harness/detail/explain/explain.hpp>
#include <isotick/harness/trial.hpp>

namespace isotick::harness {

/// What the session came to.
struct RecordedSession {
    RecordedAgain came_to = RecordedAgain::untried;
    core::StateHash hash;     ///< unless untried
    bool nominally = true;    ///< else under the schedule and loop that the recording names
    bool same_build = false;  ///< the recording names the simulation's own build
};

/// Records the session of `plan`'s recording again, with its inputs and the way it says that it was
/// driven, up to the state that diverged; where that comes to what the replay computes, again with
/// the simulation's bot, if it has one. `result` is what the replay came to; it diverged.
[[nodiscard]] core::Result<RecordedSession> record_again(const TrialPlan& plan,
                                                         const TrialResult& result,
                                                         const ExplainOptions& options);

}  // namespace isotick::harness
