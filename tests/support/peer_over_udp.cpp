// isotick's own peers in a game of its own: a plain UDP socket, the system's clock, and a recording
// of what is confirmed. `isotick netplay` runs it like any other program:
//
//   isotick netplay --peers 3 --network mobile
//       --peer './peer_over_udp --self {peer} --peers {addresses} --mode rollback --record
//       {record}'

#include "../consumer/netcode/addresses.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/harness/peer.hpp>
#include <isotick/replay/recorder.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace {

using namespace isotick;
using Clock = std::chrono::steady_clock;

constexpr auto kFrame = std::chrono::nanoseconds(16'666'667);
constexpr std::uint32_t kMostUnconfirmed = 64;  // ticks; more than a rollback goes back

[[noreturn]] void stop(const std::string& why) {
    std::fprintf(stderr, "peer_over_udp: %s\n", why.c_str());
    std::exit(2);
}

template <class T>
T must(core::Result<T> result) {
    if (!result) {
        stop(describe(result.error()));
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

struct Options {
    std::vector<sockaddr_in> addresses;
    harness::PeerOptions peer;
    std::string record;
};

Options read_options(std::span<const char* const> words) {
    Options options;
    options.peer.ticks = 600;
    for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
        const std::string_view name = words[i];
        const std::string value = words[i + 1];
        if (name == "--self") {
            options.peer.self = static_cast<std::uint32_t>(std::stoul(value));
        } else if (name == "--peers") {
            options.addresses = read_addresses(value);
            if (options.addresses.empty()) {
                stop("expected addresses such as 127.0.0.1:7000,127.0.0.1:7001");
            }
        } else if (name == "--mode" && (value == "lockstep" || value == "rollback")) {
            options.peer.mode =
                value == "lockstep" ? harness::PeerMode::lockstep : harness::PeerMode::rollback;
        } else if (name == "--ticks") {
            options.peer.ticks = std::stoul(value);
        } else if (name == "--record") {
            options.record = value;
        } else {
            stop("it does not know " + std::string(name) + " " + value);
        }
    }
    options.peer.peers = static_cast<std::uint32_t>(options.addresses.size());
    options.peer.players = options.peer.peers;
    return options;
}

/// Runners on a ring who stumble over what lies there. All of it is integers.
struct World {
    struct Runner {
        std::int32_t place = 0;
        std::int32_t speed = 0;
    };
    std::array<Runner, harness::kMostPeers> runners{};
    std::uint64_t random = 12345;

    void step(std::span<const isotick_input> inputs) {
        for (std::size_t i = 0; i + 1 < inputs.size(); ++i) {  // the world itself does nothing
            Runner& runner = runners[i];
            const bool runs = inputs[i].size > 0 && (inputs[i].data[0] & 1U) != 0;
            const bool turns = inputs[i].size > 0 && (inputs[i].data[0] & 2U) != 0;
            random = random * 6364136223846793005U + (runs ? 3 : 1);
            const bool stumbles = (random >> 61U) == 0;
            runner.speed = stumbles ? 0 : runner.speed / 2 + (runs ? 8 : 0);
            runner.place = (runner.place + (turns ? 1000 - runner.speed : runner.speed)) % 1000;
        }
    }

    [[nodiscard]] replay::TickHashes hashes() const {
        const core::PartHash part{core::hash_bytes(std::as_bytes(std::span(this, 1)))};
        replay::TickHashes hashes;
        hashes.state = core::hash_parts({&part, 1});
        return hashes;
    }
};

static_assert(std::has_unique_object_representations_v<World>);  // its bytes are hashed

// What the player of this peer presses: by a generator, as there is nobody.
std::uint8_t press(std::uint32_t self, std::uint64_t tick) {
    std::uint64_t mixed = (tick / 7 + 1) * 0x9e3779b97f4a7c15U + self;
    mixed ^= mixed >> 29U;
    mixed *= 0xbf58476d1ce4e5b9U;
    return static_cast<std::uint8_t>((mixed >> 40U) & 3U);
}

/// A socket with everybody's address. Each datagram begins with its sender's number, since a router
/// may give that peer another port.
class Socket {
  public:
    explicit Socket(const Options& options)
        : self_(options.peer.self),
          addresses_(options.addresses),
          socket_(socket(AF_INET, SOCK_DGRAM, 0)) {
        sockaddr_in own{};
        own.sin_family = AF_INET;
        own.sin_port = addresses_[self_].sin_port;
        if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0) {
            stop(std::string("no socket: ") + std::strerror(errno));
        }
    }
    ~Socket() { close(socket_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    void send(const harness::OutgoingPacket& packet) {
        std::vector<std::byte> datagram{static_cast<std::byte>(self_)};
        datagram.insert(datagram.end(), packet.bytes.begin(), packet.bytes.end());
        const sockaddr_in& to = addresses_[packet.to];
        sendto(socket_, datagram.data(), datagram.size(), 0, reinterpret_cast<const sockaddr*>(&to),
               sizeof to);
    }

    void receive_all(harness::Peer& peer) {
        std::vector<std::byte> bytes(65'536);
        sockaddr_in sender{};
        socklen_t length = sizeof sender;
        ssize_t size = 0;
        while ((size = recvfrom(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT,
                                reinterpret_cast<sockaddr*>(&sender), &length)) > 0) {
            const auto from = static_cast<std::uint32_t>(bytes[0]);
            if (from < addresses_.size() && from != self_) {
                addresses_[from] = sender;
                peer.receive(from,
                             std::span(bytes).first(static_cast<std::size_t>(size)).subspan(1));
            }
            length = sizeof sender;
        }
    }

  private:
    std::uint32_t self_;
    std::vector<sockaddr_in> addresses_;
    int socket_;
};

class Game {
  public:
    explicit Game(const Options& options)
        : self_(options.peer.self),
          peer_(must(harness::Peer::make(options.peer))),
          socket_(options) {
        if (!options.record.empty()) {
            replay::RecordingHead head;
            head.session.simulation = "runners";
            head.session.players = options.peer.players;
            head.part_names = {"state"};
            recorder_ = must(replay::Recorder::create(options.record, head, world_.hashes(),
                                                      {.most_unconfirmed = kMostUnconfirmed}));
        }
    }

    void frame(std::chrono::nanoseconds now) {
        socket_.receive_all(peer_);
        give_inputs();
        const harness::PeerFrame begun = peer_.begin_frame(now.count(), 1);
        if (begun.back > 0) {
            world_ = saved_.at(peer_.tick().value);
        }
        while (const auto step = peer_.next_step()) {
            run(*step);
            give_inputs();
        }
        confirm();
        while (const auto packet = peer_.next_packet()) {
            socket_.send(*packet);
        }
    }

    // Ends the recording after the last tick that is confirmed.
    void finish() {
        const auto saved = saved_.find(peer_.verified());
        if (recorder_) {
            must(recorder_->finish((saved != saved_.end() ? saved->second : world_).hashes()));
            recorder_.reset();
        }
    }

    [[nodiscard]] const harness::Peer& peer() const { return peer_; }

  private:
    void give_inputs() {
        while (const auto tick = peer_.wanted_input()) {
            const std::uint8_t pressed = press(self_, tick->value);
            const std::array own{isotick_input{self_, 1, 1, &pressed},
                                 isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
            must(peer_.add_input(std::span(own).first(self_ == 0 ? 2 : 1)));
        }
    }

    void run(const harness::PeerStep& step) {
        if (step.saves) {
            saved_.insert_or_assign(step.tick.value, world_);
        }
        world_.step(step.inputs);
        const replay::TickHashes hashes = world_.hashes();
        if (recorder_) {
            must(recorder_->record(step.tick, step.inputs, &hashes));
        }
        peer_.add_hash(step.tick, hashes.state);
    }

    void confirm() {
        const std::uint64_t verified = peer_.verified();
        saved_.erase(saved_.begin(), saved_.lower_bound(verified));
        if (recorder_ && verified > recorder_->confirmed()) {
            must(recorder_->confirm({verified - 1}));
        }
    }

    std::uint32_t self_;
    harness::Peer peer_;
    Socket socket_;
    World world_;
    std::map<std::uint64_t, World> saved_;  // before which tick
    std::optional<replay::Recorder> recorder_;
};

}  // namespace

int main(int argc, char** argv) {
    const Options options = read_options({argv, static_cast<std::size_t>(argc)});
    if (options.peer.self >= options.addresses.size()) {
        stop("name --self and --peers");
    }
    Game game(options);
    const auto start = Clock::now();
    auto next_frame = start;
    constexpr int kLinger = 300;  // frames: others may lack what this peer knows
    for (int lingered = 0; lingered < kLinger;) {
        game.frame(Clock::now() - start);
        const harness::PeerState state = game.peer().state();
        const bool goes_on =
            state == harness::PeerState::running || state == harness::PeerState::alone;
        if (!goes_on && ++lingered == 1) {
            game.finish();
        }
        next_frame += kFrame;
        std::this_thread::sleep_until(next_frame);
    }
    const harness::PeerStatistics counted = game.peer().statistics();
    std::printf("%s: %llu ticks, %llu rollbacks\n",
                std::string(to_string(game.peer().state())).c_str(),
                static_cast<unsigned long long>(counted.confirmed),
                static_cast<unsigned long long>(counted.rollbacks));
    return 0;
}
