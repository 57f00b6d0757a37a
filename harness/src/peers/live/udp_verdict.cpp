#include "../session/session_inputs.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/udp_verdict.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;
using core::StateHash;

/// State hashes after each tick, where they are known.
using Reference = std::vector<std::optional<StateHash>>;

std::string who(const UdpPeer& peer) {
    return "peer " + std::to_string(peer.peer) + (peer.incarnation > 0 ? ", who came again," : "");
}

class UdpJudge {
  public:
    UdpJudge(const UdpPlan& plan, const TrialRunner& run, UdpOutcome& outcome)
        : plan_(plan), run_(run), outcome_(outcome) {}

    Result<void> judge() {
        for (const UdpPeer& peer : outcome_.report.peers) {
            judge_end(peer);
            note_mismatch(peer);
        }
        const auto witness = find_witness();
        if (witness) {
            ISOTICK_TRY(judge_by(*witness));
        } else {
            ISOTICK_TRY(judge_without_witness());
        }
        if (outcome_.divergence || outcome_.mismatch) {
            worsen(Verdict::diverged, "");
        }
        return {};
    }

  private:
    void worsen(Verdict verdict, const std::string& reason) {
        const Verdict graver_one = graver(outcome_.verdict, verdict);
        if (graver_one != outcome_.verdict) {
            outcome_.verdict = graver_one;
            outcome_.reason = reason;
        }
    }

    void judge_end(const UdpPeer& peer) {
        if (peer.end == UdpEnd::ended) {
            worsen(Verdict::crashed, who(peer) + " was ended: " + peer.reason);
        } else if (peer.end == UdpEnd::timed_out) {
            worsen(Verdict::timed_out, "the session did not end in time: " + who(peer) +
                                           " was at tick " +
                                           std::to_string(peer.first_tick + peer.hashes.size()));
        }
    }

    void note_mismatch(const UdpPeer& peer) {
        if (peer.mismatch &&
            (!outcome_.mismatch || peer.mismatch->tick < outcome_.mismatch->tick)) {
            outcome_.mismatch = peer.mismatch;
        }
    }

    [[nodiscard]] std::optional<std::size_t> find_witness() const {
        const auto& peers = outcome_.report.peers;
        const auto found = std::ranges::find_if(peers, [](const UdpPeer& peer) {
            return peer.end == UdpEnd::well && peer.state == PeerState::finished &&
                   !peer.recording.empty();
        });
        return found == peers.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::size_t>(found - peers.begin()));
    }

    // Nobody has all ticks. Where nobody was absent on purpose, the session's own hashes tell.
    Result<void> judge_without_witness() {
        const auto& events = plan_.plan.events;
        const bool is_whole = std::ranges::all_of(
            events, [](const PeerEvent& event) { return event.kind == PeerEvent::Kind::pause; });
        if (is_whole) {
            ISOTICK_TRY_ASSIGN(const Reference recorded, recorded_hashes());
            compare_all(recorded);
        }
        if (outcome_.verdict == Verdict::identical && !outcome_.divergence && !outcome_.mismatch) {
            worsen(Verdict::stalled, "no peer is left that could go on");
        }
        return {};
    }

    Result<Reference> recorded_hashes() const {
        Reference hashes;
        ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan_.recording));
        while (hashes.size() < outcome_.ticks) {
            ISOTICK_TRY_ASSIGN(const auto* chunk, reader.next());
            if (chunk == nullptr) {
                break;
            }
            for (std::uint32_t row = 0; row < chunk->ticks(); ++row) {
                hashes.push_back(chunk->state_hash(row));
            }
        }
        return hashes;
    }

    Result<void> judge_by(std::size_t witness) {
        const UdpPeer& peer = outcome_.report.peers[witness];
        TrialPlan replay;
        replay.recording = peer.recording;
        replay.environment = plan_.environment;
        ISOTICK_TRY_ASSIGN(const auto results, run_({&replay, 1}, Isolation::forked));
        const TrialResult& result = results.front();
        if (result.refused) {
            return tl::unexpected(*result.refused);
        }
        if (result.divergence) {
            const StateHash computed = result.divergence->recorded;  // by the peer
            outcome_.divergence = UdpDivergence{witness, result.divergence->computed.ticks_done,
                                                result.divergence->computed.hash, computed};
            return {};
        }
        if (result.verdict != Verdict::identical) {
            worsen(result.verdict,
                   "the offline replay of what " + who(peer) + " recorded: " + result.reason);
            return {};
        }
        outcome_.hashes_compared += result.statistics.hashes_compared;
        compare_all({peer.hashes.begin(), peer.hashes.end()});
        return was_everyone_there() ? check_inputs(peer) : Result<void>();
    }

    [[nodiscard]] bool was_everyone_there() const {
        return std::ranges::all_of(outcome_.report.peers, [](const UdpPeer& peer) {
            return peer.end == UdpEnd::well && peer.state == PeerState::finished &&
                   peer.first_tick == 0;
        });
    }

    Result<void> check_inputs(const UdpPeer& peer) {
        ISOTICK_TRY_ASSIGN(const auto given, SessionInputs::read(plan_.recording, outcome_.ticks));
        ISOTICK_TRY_ASSIGN(const auto used, SessionInputs::read(peer.recording, UINT64_MAX));
        for (std::uint64_t tick = 0; tick < outcome_.ticks; ++tick) {
            if (used.ticks() <= tick ||
                !std::ranges::equal(given.of({tick}), used.of({tick}), same_input)) {
                worsen(Verdict::diverged,
                       "the peers ran other inputs than the session's, from tick " +
                           std::to_string(tick) + " on");
                return {};
            }
        }
        return {};
    }

    void compare_all(const Reference& reference) {
        for (std::size_t i = 0; i < outcome_.report.peers.size(); ++i) {
            const UdpPeer& peer = outcome_.report.peers[i];
            for (std::size_t j = 0; j < peer.hashes.size(); ++j) {
                const std::uint64_t tick = peer.first_tick + j;
                if (tick >= reference.size() || !reference[tick]) {
                    continue;
                }
                ++outcome_.hashes_compared;
                if (peer.hashes[j] != *reference[tick]) {
                    take({i, tick + 1, *reference[tick], peer.hashes[j]});
                    break;
                }
            }
        }
    }

    void take(const UdpDivergence& found) {
        if (!outcome_.divergence || found.ticks_done < outcome_.divergence->ticks_done) {
            outcome_.divergence = found;
        }
    }

    const UdpPlan& plan_;
    const TrialRunner& run_;
    UdpOutcome& outcome_;
};

}  // namespace

Result<UdpOutcome> run_udp_lockstep(const UdpPlan& plan, const TrialRunner& run) {
    UdpOutcome outcome;
    const std::uint64_t most = plan.ticks == 0 ? UINT64_MAX : plan.ticks;
    ISOTICK_TRY_ASSIGN(const auto inputs, SessionInputs::read(plan.recording, most));
    if (inputs.ticks() == 0) {
        return core::fail(core::ErrorCode::usage, "the recording has no ticks for peers to run");
    }
    outcome.ticks = inputs.ticks();
    TrialPlan offline;
    offline.recording = plan.recording;
    offline.environment = plan.environment;
    offline.until = core::Tick{outcome.ticks - 1};
    ISOTICK_TRY_ASSIGN(auto results, run({&offline, 1}, Isolation::forked));
    outcome.offline = std::move(results.front());
    if (outcome.offline.refused) {
        return tl::unexpected(*outcome.offline.refused);
    }
    outcome.verdict = outcome.offline.verdict;
    if (outcome.verdict != Verdict::identical) {
        outcome.reason = outcome.offline.reason;
        return outcome;
    }
    ISOTICK_TRY_ASSIGN(outcome.report, run_over_udp(plan));
    ISOTICK_TRY(UdpJudge(plan, run, outcome).judge());
    return outcome;
}

}  // namespace isotick::harness
