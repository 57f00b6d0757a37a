#pragma once
// What the processes of a session over UDP are asked to do, and what they answer.

#include <isotick/core/loops.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/udp_session.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace isotick::harness {

/// The first argument with which a program is started again as one of these processes.
inline constexpr std::string_view kLiveArgument = "--isotick-live";

/// To be the relay.
struct RelayRequest {
    std::string network;                                      ///< its text
    std::vector<std::pair<std::string, std::string>> traces;  ///< by name, as text
    std::uint32_t nodes = 0;
    std::uint64_t seed = 0;
    std::uint16_t port = 0;
};

/// To be a peer.
struct LivePeerRequest {
    SimulationName simulation = SimulationName::chosen("");
    core::Settings environment;
    std::string recording;
    PeerOptions options;
    PeerFrames frames;
    std::vector<PeerEvent> events;  ///< its own, that it sees to itself
    std::uint16_t relay_port = 0;
    std::string output;            ///< the path of its recording; empty: none
    bool needs_snapshots = false;  ///< the session goes back, or peers join
};

struct LiveRequest {
    std::uint32_t cookie = 0;
    std::uint32_t speed = 1;
    std::variant<RelayRequest, LivePeerRequest> role;
};

struct RelayAnswer {
    LinkStatistics traffic;
    std::uint64_t strangers = 0;
};

using LiveAnswer = std::variant<core::Error, RelayAnswer, UdpPeer>;

/// What goes over the socket between such a process and the one that started it.
struct LiveSignal {
    enum Kind : std::uint64_t {
        ready,  ///< to the starter: it has the port `value`
        go,     ///< from it: the session starts, or started, at `value` of the steady clock
        state,  ///< to it: the peer's PeerState is now `value`, after `running`
        stop,   ///< from it: answer and end
    };
    std::uint64_t kind = ready;
    std::uint64_t value = 0;
};

[[nodiscard]] std::string bytes_of(const LiveRequest& request);
[[nodiscard]] std::string bytes_of(const LiveAnswer& answer);
/// Fail with `damaged`.
[[nodiscard]] core::Result<LiveRequest> parse_live_request(std::string_view bytes);
[[nodiscard]] core::Result<LiveAnswer> parse_live_answer(std::string_view bytes);

}  // namespace isotick::harness
