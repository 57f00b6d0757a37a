// A networked game on rollback.hpp, as somebody would ship it: UDP, the system's clock, and a
// recording of what is confirmed. It knows nothing of isotick's harness, and `isotick netplay` runs
// it as it is:
//
//   isotick netplay --peers 3 --network mobile
//       --peer './rollback_game --self {peer} --peers {addresses} --record {record}'

#include "addresses.hpp"
#include "rollback.hpp"
#include "ships.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/replay/recorder.hpp>
#include <isotick/replay/state_hashes.hpp>
#include <isotick/replay/state_ring.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kFrame = std::chrono::nanoseconds(16'666'667);

struct Options {
    std::uint32_t self = 0;
    std::vector<sockaddr_in> peers;
    std::uint64_t ticks = 600;
    std::string record;
    std::string dump;  ///< what netplay puts for {dump}
    Mistakes mistakes;
};

[[noreturn]] void stop(const std::string& why) {
    std::fprintf(stderr, "rollback_game: %s\n", why.c_str());
    std::exit(2);
}

Mistakes mistake(std::string_view name) {
    Mistakes mistakes;
    const std::pair<std::string_view, bool Mistakes::*> all[] = {
        {"sends-once", &Mistakes::sends_once},
        {"counts-delay-itself", &Mistakes::counts_delay_itself},
        {"confirms-guesses", &Mistakes::confirms_guesses},
        {"drops-by-itself", &Mistakes::drops_by_itself},
        {"restores-too-little", &Mistakes::restores_too_little}};
    for (const auto& [known, member] : all) {
        if (name == known) {
            mistakes.*member = true;
            return mistakes;
        }
    }
    stop("no such mistake: " + std::string(name));
}

Options read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string value = argv[i + 1];
        if (name == "--self") {
            options.self = static_cast<std::uint32_t>(std::stoul(value));
        } else if (name == "--peers") {
            options.peers = read_addresses(value);
        } else if (name == "--ticks") {
            options.ticks = std::stoul(value);
        } else if (name == "--record") {
            options.record = value;
        } else if (name == "--dump") {
            options.dump = value;
        } else if (name == "--mistake") {
            options.mistakes = mistake(value);
        } else {
            stop("unknown option " + std::string(name));
        }
    }
    if (options.self >= options.peers.size()) {
        stop("name --self, and --peers such as 127.0.0.1:7000,127.0.0.1:7001");
    }
    return options;
}

/// The recording of what is confirmed, and the one state that is asked for.
class Log {
  public:
    Log(const Options& options, const Ships& world) : dump_(options.dump) {
        if (options.record.empty()) {
            return;
        }
        const auto hashes = hashes_(world);
        isotick::replay::RecordingHead head;
        head.session.simulation = Ships::kInfo.name;
        head.session.players = static_cast<std::uint32_t>(options.peers.size());
        head.part_names = hashes_.part_names();
        auto recorder = isotick::replay::Recorder::create(options.record, head, hashes);
        if (!recorder) {
            stop(isotick::core::describe(recorder.error()));
        }
        recorder_.emplace(std::move(*recorder));
    }

    void record(std::uint64_t tick, const std::vector<Input>& inputs, const Ships& world) {
        if (!recorder_) {
            return;
        }
        std::vector<isotick_input> all;
        for (std::uint32_t player = 0; player < inputs.size(); ++player) {
            const bool present = inputs[player] != kGone;
            all.push_back({player, present ? 1U : 0U, present ? std::uint64_t{1} : 0,
                           present ? &inputs[player] : nullptr});
        }
        all.push_back({ISOTICK_WORLD, 0, 0, nullptr});
        const auto hashes = hashes_(world);
        const auto recorded = recorder_->record(isotick::core::Tick{tick}, all, &hashes);
        if (!recorded) {
            stop(isotick::core::describe(recorded.error()));
        }
        dump(tick, world, hashes.state);
    }

    void finish(const Ships& world) {
        if (recorder_) {
            const auto finished = recorder_->finish(hashes_(world));
            if (!finished) {
                stop(isotick::core::describe(finished.error()));
            }
        }
    }

  private:
    // `412:PATH`: the state after tick 412.
    void dump(std::uint64_t tick, const Ships& world, isotick::core::StateHash hash) {
        const std::size_t colon = dump_.find(':');
        if (colon == std::string::npos || std::stoull(dump_.substr(0, colon)) != tick) {
            return;
        }
        isotick::replay::StateRing ring(Ships::kInfo.name, 1);
        isotick::core::write_fields(world, ring.begin(tick + 1, hash));
        const auto written = ring.write(tick + 1, dump_.substr(colon + 1));
        if (!written) {
            stop(isotick::core::describe(written.error()));
        }
    }

    std::string dump_;
    isotick::replay::StateHashes hashes_;
    std::optional<isotick::replay::Recorder> recorder_;
};

/// A socket with everybody's address.
class Network {
  public:
    explicit Network(const Options& options) : self_(options.self), peers_(options.peers) {
        socket_ = ::socket(AF_INET, SOCK_DGRAM, 0);
        sockaddr_in own{};
        own.sin_family = AF_INET;
        own.sin_port = options.peers[options.self].sin_port;
        if (socket_ < 0 || bind(socket_, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 ||
            fcntl(socket_, F_SETFL, O_NONBLOCK) != 0) {
            stop("no socket: " + std::string(std::strerror(errno)));
        }
    }
    ~Network() { close(socket_); }
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    void send(std::uint32_t peer, const std::vector<std::uint8_t>& packet) const {
        std::vector<std::uint8_t> named{static_cast<std::uint8_t>(self_)};
        named.insert(named.end(), packet.begin(), packet.end());
        const sockaddr_in& to = peers_[peer];
        sendto(socket_, named.data(), named.size(), 0, reinterpret_cast<const sockaddr*>(&to),
               sizeof to);
    }

    template <class Take>
    void receive(const Take& take) {
        std::array<std::uint8_t, 2048> bytes{};
        sockaddr_in from{};
        socklen_t length = sizeof from;
        ssize_t size = 0;
        while ((size = recvfrom(socket_, bytes.data(), bytes.size(), 0,
                                reinterpret_cast<sockaddr*>(&from), &length)) > 0) {
            if (bytes[0] < peers_.size() && bytes[0] != self_) {
                peers_[bytes[0]] = from;  // its router may have given it another port
                take(bytes[0], std::vector<std::uint8_t>(bytes.begin() + 1, bytes.begin() + size));
            }
            length = sizeof from;
        }
    }

  private:
    std::uint32_t self_;
    std::vector<sockaddr_in> peers_;
    int socket_ = -1;
};

// What the player of this peer presses: by a generator, as there is nobody.
Input press(std::uint32_t self, std::uint64_t tick) {
    std::uint64_t mixed = (tick / 7 + 1) * 0x9e3779b97f4a7c15U + self;
    mixed ^= mixed >> 29U;
    mixed *= 0xbf58476d1ce4e5b9U;
    return static_cast<Input>((mixed >> 40U) & 7U);
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = read_options(argc, argv);
    const auto peers = static_cast<std::uint32_t>(options.peers.size());
    Ships world(peers);
    if (const char* heat = std::getenv("SHIPS_HEAT")) {  // a setting that all must share
        world.ships[0].heat = static_cast<std::uint32_t>(std::stoul(heat));
    }
    Log log(options, world);
    Network network(options);
    Rollback rollback(options.self, peers, options.mistakes,
                      {[&](const std::vector<Input>& inputs) { world.step(inputs); },
                       [&] { return world.snapshot(); },
                       [&](const std::vector<std::uint8_t>& snapshot, bool goes_back) {
                           world.restore(snapshot,
                                         goes_back && options.mistakes.restores_too_little);
                       },
                       [&](std::uint64_t tick, const std::vector<Input>& inputs) {
                           log.record(tick, inputs, world);
                       }});
    auto next_frame = Clock::now();
    // The others may lack our last inputs, or we their last acknowledgments.
    constexpr int kLinger = 180;
    constexpr int kLongestLinger = 600;
    int done = 0;
    int all_done = 0;
    while (all_done < kLinger && done < kLongestLinger) {
        network.receive([&](std::uint32_t from, const std::vector<std::uint8_t>& packet) {
            rollback.receive(from, packet);
        });
        rollback.frame([&](std::uint64_t tick) { return press(options.self, tick); },
                       options.ticks);
        for (std::uint32_t peer = 0; peer < peers; ++peer) {
            if (peer != options.self) {
                network.send(peer, rollback.packet_for(peer));
            }
        }
        if (rollback.settled() >= options.ticks && ++done == 1) {
            log.finish(world);
        }
        all_done += done > 0 && rollback.all_have(options.ticks) ? 1 : 0;
        next_frame += kFrame;
        std::this_thread::sleep_until(next_frame);
    }
    std::printf("%llu ticks, %llu rollbacks\n", static_cast<unsigned long long>(rollback.settled()),
                static_cast<unsigned long long>(rollback.rollbacks()));
    return 0;
}
