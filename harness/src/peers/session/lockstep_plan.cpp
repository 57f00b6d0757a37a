#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/lockstep_plan.hpp>

#include <algorithm>
#include <array>

namespace isotick::harness {

using core::Error;
using core::ErrorCode;
using core::Result;

std::string_view to_string(PeerMode mode) {
    return mode == PeerMode::lockstep ? "lockstep" : "rollback";
}

Result<PeerMode> parse_peer_mode(std::string_view text) {
    if (text == "lockstep") {
        return PeerMode::lockstep;
    }
    if (text == "rollback") {
        return PeerMode::rollback;
    }
    return core::fail(ErrorCode::usage,
                      "expected lockstep or rollback, not '" + std::string(text) + "'");
}

namespace {

// Where each peer is, as events say: they must make sense one after the other.
Result<std::uint64_t> check_events(const LockstepPlan& plan) {
    const auto wrong = [](const PeerEvent& event, std::string_view why) {
        return core::fail(ErrorCode::usage,
                          "peer " + std::to_string(event.peer) + " " + std::string(why));
    };
    std::uint64_t late = 0;
    std::uint64_t gone = 0;
    std::array<std::uint32_t, kMostPeers> joined{};
    for (const PeerEvent& event : plan.events) {
        if (event.peer >= plan.peers) {
            return wrong(event, "is none of the " + std::to_string(plan.peers) + " peers");
        }
        const std::uint64_t bit = std::uint64_t{1} << event.peer;
        const bool is_first =
            &event == &*std::ranges::find(plan.events, event.peer, &PeerEvent::peer);
        const bool joins = event.kind == PeerEvent::Kind::join;
        if (joins && ++joined[event.peer] == kMostLives) {
            return wrong(event, "joins more often than a peer can: 63 times");
        }
        if (joins && is_first) {
            late |= bit;
        } else if (joins && (gone & bit) == 0) {
            return wrong(event, "joins while it is there");
        } else if (!joins && (gone & bit) != 0) {
            return wrong(event, "is not there for what happens to it");
        }
        const bool goes =
            event.kind == PeerEvent::Kind::leave || event.kind == PeerEvent::Kind::kill;
        gone = joins ? gone & ~bit : goes ? gone | bit : gone;
    }
    return late;
}

Result<void> check_faults(const LockstepPlan& plan) {
    for (const FaultyPeer& faulty : plan.faults) {
        const std::string who = "peer " + std::to_string(faulty.peer);
        if (faulty.peer >= plan.peers) {
            return core::fail(ErrorCode::usage,
                              who + " is none of the " + std::to_string(plan.peers) + " peers");
        }
        const bool needs_players =
            faulty.fault == PeerFault::alters_inputs || faulty.fault == PeerFault::two_faced;
        if (needs_players && faulty.peer + plan.spectators >= plan.peers) {
            return core::fail(ErrorCode::usage, who + " is a spectator and has no inputs to alter");
        }
    }
    return {};
}

}  // namespace

Result<PeerOptions> peer_options(const LockstepPlan& plan, std::uint32_t self,
                                 std::uint32_t incarnation, std::uint32_t players,
                                 core::TickRate rate, std::uint64_t ticks) {
    if (plan.peers < 2 || plan.peers > kMostPeers) {
        return core::fail(ErrorCode::usage,
                          "a session has from 2 to 64 peers, not " + std::to_string(plan.peers));
    }
    ISOTICK_TRY_ASSIGN(const std::uint64_t late, check_events(plan));
    ISOTICK_TRY(check_faults(plan));
    PeerOptions options;
    options.mode = plan.mode;
    options.peers = plan.peers;
    options.spectators = plan.spectators;
    options.late = late;
    options.self = self;
    options.players = players;
    options.rate = rate;
    options.ticks = ticks;
    options.incarnation = static_cast<std::uint8_t>(incarnation);
    options.joins = incarnation > 0;
    options.input_delay = plan.input_delay;
    options.adapts_delay = plan.adapts_delay;
    options.most_guessed = plan.most_guessed;
    ISOTICK_TRY(check_peer_options(options));
    return options;
}

}  // namespace isotick::harness
