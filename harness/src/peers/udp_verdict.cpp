#include "../system/files.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/udp_session.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;
using core::StateHash;

/// State hashes: after so many ticks, the initial one first.
using Reference = std::vector<StateHash>;

std::string who(const UdpPeer& peer) {
    return "peer " + std::to_string(peer.peer) + (peer.incarnation > 0 ? ", who came again," : "");
}

/// `peer 2's process was killed by signal 9 (Killed)`
std::string what_ended(const UdpPeer& peer) {
    const std::string process = "peer " + std::to_string(peer.peer) +
                                (peer.incarnation > 0 ? "'s new process " : "'s process ");
    const bool was_killed = peer.reason.starts_with("killed ");
    return process + (was_killed ? "was " : "") + peer.reason;
}

class UdpJudge {
  public:
    UdpJudge(const UdpPlan& plan, std::uint32_t players, const TrialRunner& run,
             UdpOutcome& outcome)
        : plan_(plan), players_(players), run_(run), outcome_(outcome) {}

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
            worsen(Verdict::crashed, what_ended(peer));
        } else if (peer.end == UdpEnd::timed_out && !peer.reason.empty()) {
            worsen(Verdict::timed_out, what_ended(peer));
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

    // Nobody has all ticks. What all ran are the session's inputs, but for those of peers that were
    // absent as the one knows that got furthest.
    Result<void> judge_without_witness() {
        const auto furthest =
            std::ranges::max_element(outcome_.report.peers, {}, [](const UdpPeer& peer) {
                return peer.presence.empty() ? 0 : peer.first_tick + peer.hashes.size();
            });
        if (furthest != outcome_.report.peers.end() && !furthest->presence.empty()) {
            const Attendance known = furthest->presence;
            ISOTICK_TRY_ASSIGN(const auto offline,
                               offline_hashes(plan_.recording, "the session",
                                              absences_in(known, players_,
                                                          plan_.plan.peers - plan_.plan.spectators,
                                                          outcome_.ticks)));
            if (offline) {
                compare_all(*offline, known);
            }
        }
        if (outcome_.verdict == Verdict::identical && !outcome_.divergence && !outcome_.mismatch) {
            worsen(Verdict::stalled, "no peer is left that could go on");
        }
        return {};
    }

    /// Those of every tick, whatever the recording has. None where the replay ended otherwise than
    /// well, which `worsen` was told. `what`: of the replay, in words.
    Result<std::optional<Reference>> offline_hashes(const std::string& recording,
                                                    const std::string& what,
                                                    InputEdits absences = {}) {
        ISOTICK_TRY_ASSIGN(const auto file, SharedFile::make());
        TrialPlan replay;
        replay.recording = recording;
        replay.environment = plan_.environment;
        replay.inputs = std::move(absences);
        replay.until = core::Tick{outcome_.ticks - 1};
        replay.hashes = HashFile{file.path(), HashFile::Use::write};
        ISOTICK_TRY_ASSIGN(const auto results, run_({&replay, 1}, Isolation::forked));
        const TrialResult& result = results.front();
        if (result.refused) {
            return tl::unexpected(*result.refused);
        }
        if (result.verdict != Verdict::identical) {
            worsen(result.verdict, "the offline replay of " + what + ": " + result.reason);
            return std::nullopt;
        }
        ISOTICK_TRY_ASSIGN(const auto written, file.read());
        Reference hashes;
        for (core::ByteReader reader(written.bytes()); reader.remaining() > 0;) {
            hashes.push_back({reader.get<std::uint64_t>()});
        }
        return hashes;
    }

    Result<void> judge_by(std::size_t witness) {
        const UdpPeer& peer = outcome_.report.peers[witness];
        ISOTICK_TRY_ASSIGN(const auto offline,
                           offline_hashes(peer.recording, "what " + who(peer) + " recorded"));
        if (!offline) {
            return {};
        }
        ISOTICK_TRY(check_recorded(witness, *offline));
        compare_all(*offline, peer.presence);
        return was_everyone_there() ? check_inputs(peer) : Result<void>();
    }

    // The hashes that its recording has must be right too.
    Result<void> check_recorded(std::size_t witness, const Reference& reference) {
        ISOTICK_TRY_ASSIGN(auto reader,
                           replay::Reader::open(outcome_.report.peers[witness].recording));
        std::uint64_t ticks_done = 0;
        const auto check = [&](std::optional<StateHash> recorded) {
            if (recorded && ticks_done < reference.size() && *recorded != reference[ticks_done]) {
                take({witness, ticks_done, reference[ticks_done], *recorded});
            }
        };
        check(reader.initial().state);
        while (true) {
            ISOTICK_TRY_ASSIGN(const auto* chunk, reader.next());
            if (chunk == nullptr) {
                return {};
            }
            for (std::uint32_t row = 0; row < chunk->ticks(); ++row) {
                ++ticks_done;
                check(chunk->state_hash(row));
            }
        }
    }

    [[nodiscard]] bool was_everyone_there() const {
        return std::ranges::all_of(outcome_.report.peers, [](const UdpPeer& peer) {
            return peer.end == UdpEnd::well && peer.state == PeerState::finished &&
                   peer.first_tick == 0;
        });
    }

    Result<void> check_inputs(const UdpPeer& peer) {
        ISOTICK_TRY_ASSIGN(const auto found, replay::compare(plan_.recording, peer.recording));
        const std::uint64_t same = found.session ? found.session->tick.value : found.b.ticks;
        if (same < outcome_.ticks) {
            worsen(Verdict::diverged, "the peers ran other inputs than the session's, from tick " +
                                          std::to_string(same) + " on");
        }
        return {};
    }

    // `stayed`: who was there when, as the witness knows it.
    void compare_all(const Reference& reference, const Attendance& stayed) {
        for (std::size_t i = 0; i < outcome_.report.peers.size(); ++i) {
            const UdpPeer& peer = outcome_.report.peers[i];
            const std::uint64_t all = peer.first_tick + peer.hashes.size();
            const std::uint64_t end = peer.state == PeerState::finished
                                          ? all
                                          : ticks_that_count(all, peer.presence, stayed);
            for (std::size_t j = 0; peer.first_tick + j < end; ++j) {
                const std::uint64_t ticks_done = peer.first_tick + j + 1;
                if (ticks_done >= reference.size()) {
                    break;
                }
                ++outcome_.hashes_compared;
                if (peer.hashes[j] != reference[ticks_done]) {
                    take({i, ticks_done, reference[ticks_done], peer.hashes[j]});
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
    std::uint32_t players_;
    const TrialRunner& run_;
    UdpOutcome& outcome_;
};

}  // namespace

Result<UdpOutcome> run_udp_lockstep(const UdpPlan& plan, const TrialRunner& run) {
    UdpOutcome outcome;
    if (plan.folder.empty()) {
        return core::fail(core::ErrorCode::usage,
                          "a session over UDP is judged by what its peers record: name a folder");
    }
    ISOTICK_TRY_ASSIGN(const auto inputs, SessionInputs::read(plan.recording, plan.most_ticks()));
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
    ISOTICK_TRY(UdpJudge(plan, inputs.players(), run, outcome).judge());
    return outcome;
}

}  // namespace isotick::harness
