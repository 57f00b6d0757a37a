#pragma once
// A session of peers over UDP, compared with offline replays.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/peers/udp_session.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace isotick::harness {

/// The first state of a peer that is not that of the offline replay.
struct UdpDivergence {
    std::size_t peer = 0;  ///< index in UdpReport::peers
    std::uint64_t ticks_done = 0;
    core::StateHash offline;
    core::StateHash computed;
};

struct UdpOutcome {
    std::uint64_t ticks = 0;  ///< of the session
    TrialResult offline;  ///< the nominal replay of its recording; unless identical, that is all
    UdpReport report;
    Verdict verdict = Verdict::identical;
    std::string reason;  ///< for every verdict but identical and diverged
    std::uint64_t hashes_compared = 0;
    std::optional<UdpDivergence> divergence;
    std::optional<HashMismatch> mismatch;  ///< the earliest that peers themselves found
};

/// Runs the session over UDP and judges it. All peers must have the states of one offline replay:
/// that of the inputs which the first peer recorded that was there from start to end. Where nobody
/// was absent, these must be the session's. Peers that died are `crashed`, a session that took too
/// long is `timed_out`. Fails with `usage` without `plan.folder`; where run_over_udp does, or
/// `run`.
[[nodiscard]] core::Result<UdpOutcome> run_udp_lockstep(const UdpPlan& plan,
                                                        const TrialRunner& run);

}  // namespace isotick::harness
