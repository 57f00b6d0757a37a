#include "lockstep_udp.hpp"

#include "../../src/report/lockstep_rows.hpp"
#include "../json/json_pieces.hpp"
#include "../output/text.hpp"

#include <isotick/harness/trial.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::PeerState;
using harness::UdpEnd;
using harness::UdpOutcome;
using harness::UdpPeer;
using harness::Verdict;

std::string state_word(const UdpPeer& peer) {
    switch (peer.end) {
        case UdpEnd::killed:
            return "killed";
        case UdpEnd::ended:
            return "ended";
        case UdpEnd::timed_out:
        case UdpEnd::well:
            break;
    }
    return std::string(to_string(peer.state));
}

std::string state_text(const UdpPeer& peer) {
    if (peer.end == UdpEnd::killed) {
        return "was killed, with signal 9";
    }
    if (peer.end == UdpEnd::ended) {
        return "failed: " + peer.reason;
    }
    const std::uint64_t ticks = peer.first_tick + peer.hashes.size();
    const std::string at = ticks == 0 ? "before tick 0" : fmt::format("after tick {}", ticks - 1);
    switch (peer.state) {
        case PeerState::joining:
            return "waited for a snapshot";
        case PeerState::running:
            return "was still running, " + at;
        case PeerState::finished:
            return "finished " + at;
        case PeerState::left:
            return "left " + at;
        case PeerState::dropped:
            return "was dropped by the others " + at;
        case PeerState::alone:
            return "was left with too few to go on " + at;
        case PeerState::disagreed:
            return "stopped " + at + ", as hashes differ";
    }
    return "";
}

std::string peer_text(const UdpPeer& peer) {
    std::string text = peer.first_tick == 0 ? state_text(peer)
                                            : fmt::format("joined with the state after tick {}, {}",
                                                          peer.first_tick - 1, state_text(peer));
    if (peer.end == UdpEnd::killed || peer.end == UdpEnd::ended) {
        return text;
    }
    const harness::PeerStatistics& counted_there = peer.statistics;
    if (counted_there.rollbacks > 0) {
        text += fmt::format(", {} run again in {} of {} at most",
                            counted(counted_there.run_again, "tick"),
                            counted(counted_there.rollbacks, "rollback"), counted_there.most_back);
    }
    if (counted_there.stalls > 0) {
        text += fmt::format(", {} stalled", counted(counted_there.stalls, "frame"));
    }
    return text;
}

std::string peer_rows(const UdpOutcome& outcome) {
    std::string text;
    for (const UdpPeer& peer : outcome.report.peers) {
        text += row(fmt::format("peer {}", peer.peer), peer_text(peer));
    }
    return text;
}

std::uint64_t strangers_of(const UdpOutcome& outcome) {
    std::uint64_t sum = outcome.report.strangers;
    for (const UdpPeer& peer : outcome.report.peers) {
        sum += peer.strangers;
    }
    return sum;
}

std::string transport_text(const harness::UdpPlan& plan) {
    std::string text = "UDP on this machine, a process for each peer and one that impairs";
    return plan.speed == 1 ? text
                           : text + fmt::format(", {} times as fast as real time", plan.speed);
}

std::string traffic_text(const harness::LinkStatistics& traffic) {
    return fmt::format("{}, {} lost, {} delivered twice, {} overtaken",
                       counted(traffic.sent, "packet"), grouped(traffic.lost),
                       grouped(traffic.duplicated), grouped(traffic.overtaken));
}

std::string failure_rows(const UdpOutcome& outcome) {
    std::string text;
    if (outcome.divergence) {
        const harness::UdpDivergence& found = *outcome.divergence;
        text = row("when", fmt::format("peer {}: {}", outcome.report.peers[found.peer].peer,
                                       harness::describe_state(found.ticks_done)));
    }
    text += row("noticed", harness::noticed_text(outcome.mismatch));
    return text + row("reason", outcome.reason);
}

Json udp_peer_json(const UdpPeer& peer) {
    const harness::PeerStatistics& counted_there = peer.statistics;
    return {{"peer", peer.peer},
            {"incarnation", peer.incarnation},
            {"state", state_word(peer)},
            {"reason", text_json(peer.reason)},
            {"recording", text_json(peer.recording)},
            {"first_tick", peer.first_tick},
            {"verified", peer.first_tick + peer.hashes.size()},
            {"steps", counted_there.steps},
            {"run_again", counted_there.run_again},
            {"rollbacks", counted_there.rollbacks},
            {"most_back", counted_there.most_back},
            {"stalls", counted_there.stalls},
            {"waits", counted_there.waits},
            {"input_delay", counted_there.input_delay},
            {"packets_sent", counted_there.packets_sent},
            {"bytes_sent", counted_there.bytes_sent},
            {"packets_refused", counted_there.packets_refused},
            {"strangers", peer.strangers},
            {"complaints", peer.complaints}};
}

Json udp_divergence_json(const UdpOutcome& outcome) {
    if (!outcome.divergence) {
        return nullptr;
    }
    const harness::UdpDivergence& found = *outcome.divergence;
    return {{"peer", outcome.report.peers[found.peer].peer},
            {"tick", last_tick_json(found.ticks_done)},
            {"offline", to_string(found.offline)},
            {"computed", to_string(found.computed)}};
}

Json noticed_json(const UdpOutcome& outcome) {
    if (!outcome.mismatch) {
        return nullptr;
    }
    return {{"tick", outcome.mismatch->tick.value},
            {"minority", outcome.mismatch->minority},
            {"two_faced", optional_json(outcome.mismatch->two_faced)}};
}

}  // namespace

Result<void> check_transport(const LockstepCommandOptions& options) {
    if (options.transport != "udp") {
        return options.speed || options.port
                   ? Result<void>(core::fail(ErrorCode::usage,
                                             "--speed and --port go with --transport udp alone"))
                   : Result<void>();
    }
    if (!options.faults.empty() || !options.peer_simulations.empty()) {
        return core::fail(ErrorCode::usage,
                          "--fault and --peer-sim do not go with --transport udp, whose peers "
                          "are as good as each other");
    }
    if (options.trials) {
        return core::fail(ErrorCode::usage,
                          "--trials does not go with --transport udp, which runs one session");
    }
    if (!options.time_line.empty()) {
        return core::fail(ErrorCode::usage, "--time-line does not go with --transport udp");
    }
    if (options.port.value_or(0) > UINT16_MAX) {
        return core::fail(ErrorCode::usage, "--port: expected a port up to 65535");
    }
    if (options.speed && (*options.speed < 1 || *options.speed > harness::kFastestUdp)) {
        return core::fail(ErrorCode::usage, "--speed: expected a number from 1 to 64");
    }
    return {};
}

std::uint64_t udp_patience_ms(const harness::LockstepPlan& plan, std::uint64_t ticks,
                              core::TickRate rate, std::uint32_t speed) {
    constexpr std::uint64_t kLeast_ms = 60'000;
    constexpr std::uint64_t kSlowness = 10;  // a bad network stalls a session
    const std::uint64_t session_ms = std::min<std::uint64_t>(ticks, 1'000'000'000) * 1000 *
                                     rate.denominator() /
                                     std::max<std::uint64_t>(rate.numerator(), 1);
    const auto events_ms = plan.events.empty()
                               ? std::uint64_t{0}
                               : static_cast<std::uint64_t>(plan.events.back().at_ns) / 1'000'000;
    return kLeast_ms + (session_ms + events_ms) * kSlowness / speed;
}

std::string udp_text(const UdpShown& shown, const LockstepCommandOptions& options,
                     const Console& console) {
    const UdpOutcome& outcome = shown.outcome;
    const harness::LockstepPlan& plan = shown.plan.plan;
    const bool replays = outcome.offline.verdict == Verdict::identical;
    const std::string title =
        options.recording.empty() ? shown.head.session.simulation : options.recording;
    const bool agreed = outcome.verdict == Verdict::identical;
    const std::string verdict = console.headline(
        agreed ? "agreed" : std::string(to_string(outcome.verdict)), outcome.verdict);
    std::string text =
        agreed ? heading(title) : verdict + "  " + heading(title) + failure_rows(outcome);
    text += row("session", session_line(shown.head.session, outcome.ticks));
    text += row("offline", replays ? "without a network, the replay matches the recording"
                                   : in_words(outcome.offline.verdict) +
                                         ", so no network is to blame: see isotick verify");
    if (replays) {
        text += row("peers",
                    fmt::format("{} in {}", counted(plan.peers, "peer"), to_string(plan.mode)));
        text += row("network", plan.network.to_string());
        text += row("transport", transport_text(shown.plan));
        text += peer_rows(outcome);
        text += row("compared", counted(outcome.hashes_compared, "hash"));
        text += row("traffic", traffic_text(outcome.report.traffic));
        const std::uint64_t strangers = strangers_of(outcome);
        text += strangers == 0 ? "" : row("strangers", counted(strangers, "datagram") + " dropped");
    }
    return text + verdict +
           (agreed ? fmt::format("  {} and the offline replay, over UDP\n",
                                 counted(plan.peers, "peer"))
                   : "\n");
}

std::string udp_json(const UdpShown& shown, const LockstepCommandOptions& options) {
    const UdpOutcome& outcome = shown.outcome;
    const harness::LinkStatistics& traffic = outcome.report.traffic;
    Json peers = Json::array();
    for (const UdpPeer& peer : outcome.report.peers) {
        peers.push_back(udp_peer_json(peer));
    }
    return document({{"recording", text_json(options.recording)},
                     {"session", session_json(shown.head.session)},
                     {"ticks", outcome.ticks},
                     {"transport", "udp"},
                     {"speed", shown.plan.speed},
                     {"plan", to_string(shown.plan.plan)},
                     {"verdict", std::string(to_string(outcome.verdict))},
                     {"reason", text_json(outcome.reason)},
                     {"offline", std::string(to_string(outcome.offline.verdict))},
                     {"hashes_compared", outcome.hashes_compared},
                     {"peers", std::move(peers)},
                     {"divergence", udp_divergence_json(outcome)},
                     {"noticed", noticed_json(outcome)},
                     {"traffic",
                      {{"packets", traffic.sent},
                       {"lost", traffic.lost},
                       {"overflowed", traffic.overflowed},
                       {"cut_off", traffic.cut_off},
                       {"duplicated", traffic.duplicated},
                       {"overtaken", traffic.overtaken},
                       {"bytes", traffic.sent_bytes}}},
                     {"strangers", strangers_of(outcome)}});
}

}  // namespace isotick::program
