#include "relay.hpp"

#include "../system/udp_socket.hpp"
#include "live_peer.hpp"
#include "live_process.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>

namespace isotick::harness {
namespace {

using core::Result;

class Relay {
  public:
    Relay(const LiveRequest& request, SimulatedNetwork network, UdpSocket socket)
        : cookie_(request.cookie),
          speed_(request.speed),
          network_(std::move(network)),
          socket_(std::move(socket)),
          ports_(network_.nodes()) {}

    Result<RelayAnswer> run() {
        const auto start_ns = wait_for_start(socket_.port());
        if (!start_ns) {
            return RelayAnswer{};
        }
        const LiveClock clock(*start_ns, speed_);
        while (!has_signal()) {
            ISOTICK_TRY(network_.advance(std::max(network_.now(), clock.now_ns())));
            take_all();
            pass_on_all();
            const auto next = network_.next_arrival();
            const std::array files{socket_.file(), kWorkerSocket};
            wait_to_read(files, next ? clock.wait_ms(*next) : kIdle_ms);
        }
        return RelayAnswer{network_.statistics(), strangers_};
    }

  private:
    static constexpr int kIdle_ms = 1000;
    static constexpr int kMostAtOnce = 1024;  // so that a flood does not hold up what is to go out

    void take_all() {
        for (int i = 0; i < kMostAtOnce; ++i) {
            const auto datagram = socket_.receive();
            if (!datagram) {
                return;
            }
            strangers_ += take(*datagram) ? 0U : 1U;
        }
    }

    /// False where no peer of the session sent it.
    bool take(const Datagram& datagram) {
        const auto envelope = read_envelope(datagram.bytes, cookie_);
        if (!envelope || envelope->from >= network_.nodes()) {
            return false;
        }
        return ports_.take(envelope->from, envelope->incarnation, datagram.from) &&
               network_.send(envelope->from, envelope->to, envelope->packet).has_value();
    }

    void pass_on_all() {
        for (std::uint32_t node = 0; node < network_.nodes(); ++node) {
            while (const auto delivery = network_.receive(node)) {
                const auto from = static_cast<std::uint8_t>(delivery->from);
                if (ports_.port_of(node) != 0) {
                    write_envelope({cookie_, from, static_cast<std::uint8_t>(node),
                                    ports_.incarnation_of(from), delivery->bytes},
                                   outgoing_);
                    socket_.send(ports_.port_of(node), outgoing_);
                }
            }
        }
    }

    std::uint32_t cookie_;
    std::uint32_t speed_;
    SimulatedNetwork network_;
    UdpSocket socket_;
    RelayPorts ports_;
    std::uint64_t strangers_ = 0;
    core::Bytes outgoing_;
};

}  // namespace

Result<RelayAnswer> run_relay(const LiveRequest& request, const RelayRequest& role) {
    const auto resolve =
        [&role](const std::string& path) -> Result<std::shared_ptr<const LinkTrace>> {
        const auto found =
            std::ranges::find(role.traces, path, &std::pair<std::string, std::string>::first);
        return found != role.traces.end()
                   ? LinkTrace::parse(found->second)
                   : core::fail(core::ErrorCode::usage, "no trace '" + path + "'");
    };
    ISOTICK_TRY_ASSIGN(const auto spec, NetworkSpec::parse(role.network, resolve));
    ISOTICK_TRY_ASSIGN(auto network, SimulatedNetwork::make(spec, role.nodes, role.seed));
    ISOTICK_TRY_ASSIGN(auto socket, UdpSocket::open(role.port));
    return Relay(request, std::move(network), std::move(socket)).run();
}

}  // namespace isotick::harness
