#include "session.hpp"

#include "../system/posix.hpp"
#include "peer_seat.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <deque>
#include <sched.h>
#include <utility>

#include <sys/stat.h>

namespace isotick::harness::netplay {
namespace {

using core::ErrorCode;
using core::Result;

/// Everything of a session runs on one processor: at most one of its processes runs at a time, and
/// passing the turn within a processor is the fastest.
class OneProcessor {
  public:
    explicit OneProcessor(std::size_t slot) {
        if (sched_getaffinity(0, sizeof before_, &before_) != 0) {
            return;
        }
        std::size_t left = slot % static_cast<std::size_t>(std::max(1, CPU_COUNT(&before_)));
        for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
            if (CPU_ISSET(processor, &before_) && left-- == 0) {
                cpu_set_t one;
                CPU_ZERO(&one);
                CPU_SET(processor, &one);
                is_bound_ = sched_setaffinity(0, sizeof one, &one) == 0;
                return;
            }
        }
    }
    ~OneProcessor() {
        if (is_bound_) {
            sched_setaffinity(0, sizeof before_, &before_);
        }
    }
    OneProcessor(const OneProcessor&) = delete;
    OneProcessor& operator=(const OneProcessor&) = delete;

  private:
    cpu_set_t before_{};
    bool is_bound_ = false;
};

/// Ports in front of a packet's bytes on the network.
constexpr std::size_t kPortBytes = 4;

std::array<std::byte, kPortBytes> ports_as_bytes(std::uint16_t from, std::uint16_t to) {
    return {std::byte(from & 0xffU), std::byte(from >> 8U), std::byte(to & 0xffU),
            std::byte(to >> 8U)};
}

std::uint16_t port_at(std::span<const std::byte> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[at]) |
                                      std::to_integer<unsigned>(bytes[at + 1]) << 8U);
}

/// A piece of a stream on its way.
struct Piece {
    std::int64_t arrival_ns = 0;
    PacketHead head;
    std::vector<std::byte> bytes;
};

/// Streams between two peers, in one direction: they lose nothing, and what the network does to
/// packets makes them late.
class StreamLink {
  public:
    StreamLink(LinkSettings settings, std::uint64_t seed) : settings_(settings), random_(seed) {}

    // A link without a rate has one for streams: who sends as fast as it can would never end else.
    std::int64_t arrival_of_next(std::int64_t now_ns, std::size_t bytes) {
        constexpr std::uint64_t kUsualRate = 1'000'000'000;  // bits per second
        const std::uint64_t rate = settings_.rate == 0 ? kUsualRate : settings_.rate;
        begun_ns_ = std::max(begun_ns_, now_ns) +
                    static_cast<std::int64_t>((bytes + kHeaderBytes) * 8 * 1'000'000'000 / rate);
        std::int64_t lateness = settings_.delay_ns;
        for (std::int64_t again = kAgain; again <= kMostAgain; again *= 2) {
            if (random_.below(kMille) >= settings_.loss_per_mille) {
                break;
            }
            lateness += again;
        }
        last_ns_ = std::max(last_ns_, begun_ns_ + lateness);
        return last_ns_;
    }

  private:
    static constexpr std::uint32_t kMille = 1000;
    static constexpr std::int64_t kAgain = 200'000'000;  // until a lost piece is sent again
    static constexpr std::int64_t kMostAgain = 3'200'000'000;

    LinkSettings settings_;
    core::Pcg32 random_;
    std::int64_t begun_ns_ = 0;  // when the last piece had left
    std::int64_t last_ns_ = 0;
};

/// A peer as the session drives it.
struct Seat {
    std::optional<PeerSeat> process;
    Life run;
    std::uint32_t lives = 0;
    std::int64_t paused_until = 0;
    bool at_once = false;          // it goes on at once, whatever it waits for
    bool is_done = false;          // its program ended by itself
    bool is_to_leave = false;      // it was asked to
    std::uint16_t port_shift = 0;  // behind a NAT that has given it other ports
    std::uint64_t recorded_size = 0;
    std::deque<Piece> pieces;  // by arrival
    [[nodiscard]] bool is_active() const { return process.has_value(); }
};

class Runner {
  public:
    Runner(const SessionSetup& setup, SimulatedNetwork network, FileDescriptor library)
        : setup_(setup),
          plan_(setup.plan),
          network_(std::move(network)),
          library_(std::move(library)),
          seats_(plan_.peers),
          patience_(setup.timeout_ms == 0 ? std::chrono::hours(24)
                                          : std::chrono::milliseconds(setup.timeout_ms)) {
        for (std::uint32_t from = 0; from < plan_.peers; ++from) {
            for (std::uint32_t to = 0; to < plan_.peers; ++to) {
                streams_.emplace_back(plan_.network.settings(from, to),
                                      core::derive_seed(plan_.seed, {kStreams, from, to}));
            }
        }
    }

    Result<Session> run() {
        ISOTICK_TRY(start_peers());
        while (true) {
            if (setup_.stop && setup_.stop()) {
                return core::fail(ErrorCode::io, "interrupted");
            }
            const std::optional<std::uint32_t> next = next_peer();
            const std::int64_t event_ns = next_event();
            const std::int64_t due = next ? due_of(seats_[*next]) : kNever;
            if (!has_more() || (due == kNever && event_ns == kNever)) {
                break;
            }
            const std::int64_t until = std::min(due, event_ns);
            if (until >= end_ns()) {
                ISOTICK_TRY(advance(end_ns()));
                if (!end_all()) {
                    break;
                }
                continue;
            }
            ISOTICK_TRY(advance(until));
            if (event_ns <= due) {
                ISOTICK_TRY(happen(plan_.events[next_event_++]));
            } else {
                ISOTICK_TRY(take_turn(*next));
            }
        }
        return finish();
    }

  private:
    static constexpr std::uint64_t kStreams = 1'000'000;
    static constexpr std::uint64_t kChance = 2'000'000;

    Result<void> start_peers() {
        for (std::uint32_t peer = 0; peer < plan_.peers; ++peer) {
            const auto first = std::ranges::find(plan_.events, peer, &PeerEvent::peer);
            const bool is_late =
                first != plan_.events.end() && first->kind == PeerEvent::Kind::join;
            ISOTICK_TRY(is_late ? Result<void>() : start(peer));
        }
        return {};
    }

    Result<void> start(std::uint32_t peer) {
        Seat& seat = seats_[peer];
        const PeerProgram& program =
            setup_.programs.size() == 1 ? setup_.programs.front() : setup_.programs[peer];
        const std::string name = setup_.folder + "/peer-" + std::to_string(peer) +
                                 (seat.lives == 0 ? "" : "-" + std::to_string(seat.lives + 1));
        PeerStart start;
        start.self = peer;
        start.peers = plan_.peers;
        start.chance = core::derive_seed(plan_.seed, {kChance, peer, seat.lives});
        start.now_ns = now();
        start.output = name + ".txt";
        seat.run = {};
        seat.run.recording = name + ".isotick";
        Values values{peer, plan_.peers, seat.run.recording, ""};
        if (setup_.dump_tick) {
            seat.run.dump = name + ".state";
            values.dump = std::to_string(*setup_.dump_tick) + ":" + seat.run.dump;
        }
        for (const std::string& word : program.words) {
            ISOTICK_TRY_ASSIGN(std::string filled, filled_in(word, values));
            start.words.push_back(std::move(filled));
        }
        start.environment = own_environment();
        for (const std::string& variable : program.environment) {
            ISOTICK_TRY_ASSIGN(std::string filled, filled_in(variable, values));
            const std::string name_only = filled.substr(0, filled.find('=') + 1);
            std::erase_if(start.environment,
                          [&](const std::string& each) { return each.starts_with(name_only); });
            start.environment.push_back(std::move(filled));
        }
        ISOTICK_TRY_ASSIGN(auto process, PeerSeat::start(start, library_.get()));
        seat.process.emplace(std::move(process));
        seat.run.peer = peer;
        seat.run.life = seat.lives++;
        seat.run.began_ns = now();
        seat.run.output = start.output;
        seat.run.sent_to.resize(plan_.peers);
        seat.run.heard_from.resize(plan_.peers);
        seat.at_once = true;
        seat.is_to_leave = false;
        seat.paused_until = 0;
        seat.recorded_size = 0;
        seat.pieces.clear();
        return {};
    }

    [[nodiscard]] std::int64_t now() const { return network_.now(); }
    [[nodiscard]] std::int64_t end_ns() const {
        return setup_.length_ns + (is_ending_ ? kSecond : 0);
    }

    // Whether anybody is there, or is to come.
    [[nodiscard]] bool has_more() const {
        return std::ranges::any_of(seats_, &Seat::is_active) ||
               std::any_of(plan_.events.begin() + static_cast<std::ptrdiff_t>(next_event_),
                           plan_.events.end(), [](const PeerEvent& event) {
                               return event.kind == PeerEvent::Kind::join;
                           });
    }

    [[nodiscard]] std::int64_t next_event() const {
        return next_event_ < plan_.events.size() ? plan_.events[next_event_].at_ns : kNever;
    }

    // When it goes on.
    [[nodiscard]] std::int64_t due_of(const Seat& seat) const {
        const Page& page = seat.process->page();
        std::int64_t due = seat.at_once || page.waiting == Waiting::nothing ? now() : page.until_ns;
        if (page.wakes_by_packet != 0) {
            const auto self = static_cast<std::uint32_t>(&seat - seats_.data());
            due = std::min(due, network_.next_arrival(self).value_or(kNever));
            due = seat.pieces.empty() ? due : std::min(due, seat.pieces.front().arrival_ns);
        }
        return std::max({due, now(), seat.paused_until});
    }

    // The first that goes on; of several the one with the lowest number.
    [[nodiscard]] std::optional<std::uint32_t> next_peer() const {
        std::optional<std::uint32_t> next;
        std::int64_t first = kNever;
        for (std::uint32_t peer = 0; peer < plan_.peers; ++peer) {
            if (seats_[peer].is_active() && due_of(seats_[peer]) < first) {
                first = due_of(seats_[peer]);
                next = peer;
            }
        }
        return next;
    }

    // Each second of virtual time, recordings are looked at.
    Result<void> advance(std::int64_t to_ns) {
        while (looked_ns_ + kSecond <= to_ns) {
            looked_ns_ += kSecond;
            for (Seat& seat : seats_) {
                look_at_recording(seat, looked_ns_);
            }
        }
        return network_.advance(to_ns);
    }

    // A recorder keeps it under another name until it is finished.
    static void look_at_recording(Seat& seat, std::int64_t at_ns) {
        if (!seat.is_active()) {
            return;
        }
        for (const char* end : {"", ".unfinished"}) {
            struct stat status {};
            if (stat((seat.run.recording + end).c_str(), &status) == 0 &&
                static_cast<std::uint64_t>(status.st_size) > seat.recorded_size) {
                seat.recorded_size = static_cast<std::uint64_t>(status.st_size);
                seat.run.recorded_ns = at_ns;
            }
        }
    }

    Result<void> happen(const PeerEvent& event) {
        Seat& seat = seats_[event.peer];
        if (event.kind == PeerEvent::Kind::join) {
            // Who has ended by itself is done.
            return seat.is_active() || seat.is_done ? Result<void>() : start(event.peer);
        }
        if (!seat.is_active()) {
            return {};
        }
        switch (event.kind) {
            case PeerEvent::Kind::kill:
                seat.process->kill();
                leave(seat, LifeEnd::killed);
                break;
            case PeerEvent::Kind::leave:
                ask_to_leave(seat);
                break;
            case PeerEvent::Kind::pause:
                seat.paused_until = std::max(seat.paused_until, event.at_ns + event.for_ns);
                break;
            case PeerEvent::Kind::rebind:
                // Other ports than any that it has had.
                seat.port_shift = static_cast<std::uint16_t>(seat.port_shift + 1009);
                break;
            case PeerEvent::Kind::join:
                break;
        }
        return {};
    }

    static void ask_to_leave(Seat& seat) {
        seat.process->interrupt();
        seat.is_to_leave = true;
        seat.at_once = true;
        seat.paused_until = 0;
    }

    // At the end, those that are still there. False: that was done before.
    bool end_all() {
        const bool was_ending = std::exchange(is_ending_, true);
        for (Seat& seat : seats_) {
            if (!seat.is_active()) {
                continue;
            }
            ran_out_ = true;
            if (was_ending) {
                seat.process->kill();
                leave(seat, LifeEnd::running);
            } else {
                look_at_recording(seat, now());
                ask_to_leave(seat);
            }
        }
        next_event_ = plan_.events.size();
        return !was_ending;
    }

    Result<void> take_turn(std::uint32_t peer) {
        Seat& seat = seats_[peer];
        seat.at_once = false;
        // One that only lacked room for packets to send receives none.
        if (seat.process->page().waiting != Waiting::nothing || !seat.run.seen) {
            deliver(seat, peer);
        }
        const PeerSeat::Turned turned = seat.process->run(now(), patience_);
        ISOTICK_TRY(send_all(seat, peer));
        switch (turned) {
            case PeerSeat::Turned::waits:
                seat.run.seen = true;
                break;
            case PeerSeat::Turned::ended:
                leave(seat, state_at_end(seat));
                break;
            case PeerSeat::Turned::timed_out:
                seat.process->kill();
                leave(seat, LifeEnd::timed_out);
                break;
        }
        return {};
    }

    [[nodiscard]] LifeEnd state_at_end(const Seat& seat) const {
        const int signal = seat.process->end()->signal;
        const bool crashed = signal != 0 && !was_killed_from_outside(*seat.process->end());
        return crashed                          ? LifeEnd::crashed
               : seat.is_to_leave && is_ending_ ? LifeEnd::running
               : seat.is_to_leave               ? LifeEnd::left
               : seat.process->end()->well()    ? LifeEnd::exited
                                                : LifeEnd::crashed;
    }

    void leave(Seat& seat, LifeEnd state) {
        seat.is_done = state == LifeEnd::exited || state == LifeEnd::crashed;
        const Page& page = seat.process->page();
        look_at_recording(seat, now());
        Life& run = seat.run;
        run.state = state;
        run.ended_ns = now();
        run.end = seat.process->end().value_or(ProcessEnd());
        run.refused = words_of(static_cast<Refused>(page.refused.load()));
        run.loaded = page.loaded != 0;
        run.spun = page.spun;
        run.unheard = page.unheard;
        run.overrun = page.overrun;
        run.unplaced = page.unplaced;
        run.threads = page.threads;
        session_.runs.push_back(std::move(run));
        seat.process.reset();
        // What is on its way to it gets lost.
        while (network_.receive(session_.runs.back().peer)) {
        }
        seat.pieces.clear();
    }

    // What has arrived, as much as fits.
    void deliver(Seat& seat, std::uint32_t peer) {
        while (!seat.pieces.empty() && seat.pieces.front().arrival_ns <= now() &&
               seat.process->has_room(seat.pieces.front().bytes.size())) {
            const Piece& piece = seat.pieces.front();
            seat.process->put_received(piece.head, piece.bytes);
            seat.run.heard_from[piece.head.peer] = now();
            seat.pieces.pop_front();
        }
        while (seat.process->has_room(Packets::kMostBytes)) {
            const auto packet = network_.receive(peer);
            if (!packet) {
                return;
            }
            PacketHead head;
            head.size = static_cast<std::uint32_t>(packet->bytes.size() - kPortBytes);
            head.peer = packet->from;
            head.from_port = port_at(packet->bytes, 0);
            head.to_port = static_cast<std::uint16_t>(port_at(packet->bytes, 2) - seat.port_shift);
            seat.process->put_received(head, packet->bytes.subspan(kPortBytes));
            seat.run.heard_from[packet->from] = now();
        }
    }

    Result<void> send_all(Seat& seat, std::uint32_t peer) {
        Result<void> result;
        seat.process->take_sent([&](PacketHead head, std::span<const std::byte> bytes) {
            if (!result) {
                return;
            }
            const std::uint32_t first = head.peer == kEveryone ? 0 : head.peer;
            const std::uint32_t end = head.peer == kEveryone ? plan_.peers : head.peer + 1;
            for (std::uint32_t to = first; to < std::min(end, plan_.peers) && result; ++to) {
                if (to != peer) {
                    head.peer = to;
                    result = send(seat, peer, head, bytes);
                }
            }
        });
        return result;
    }

    Result<void> send(Seat& seat, std::uint32_t from, PacketHead head,
                      std::span<const std::byte> bytes) {
        const std::uint32_t to = head.peer;
        ++seat.run.sent;
        seat.run.sent_to[to] = now();
        const std::uint16_t port = static_cast<std::uint16_t>(head.from_port + seat.port_shift);
        bytes_.assign(kPortBytes, std::byte{0});
        std::ranges::copy(ports_as_bytes(port, head.to_port), bytes_.begin());
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
        note(from, head, bytes_);
        if (head.kind == Kind::datagram) {
            return network_.send(from, to, bytes_);
        }
        ++session_.stream_pieces;
        if (seats_[to].is_active()) {
            Piece piece{streams_[from * plan_.peers + to].arrival_of_next(now(), bytes.size()),
                        head,
                        {bytes.begin(), bytes.end()}};
            piece.arrival_ns = after_cuts(from, to, piece.arrival_ns);
            piece.head.peer = from;
            auto& pieces = seats_[to].pieces;
            const auto place =
                std::ranges::upper_bound(pieces, piece.arrival_ns, {}, &Piece::arrival_ns);
            pieces.insert(place, std::move(piece));
        }
        return {};
    }

    // Streams go on when a cut is over.
    [[nodiscard]] std::int64_t after_cuts(std::uint32_t from, std::uint32_t to,
                                          std::int64_t at_ns) const {
        for (const NetworkCut& cut : plan_.network.parts().cuts) {
            const auto group_of = [&cut](std::uint32_t node) {
                return std::ranges::find_if(cut.groups, [node](const auto& group) {
                    return std::ranges::find(group, node) != group.end();
                });
            };
            const bool one_group = cut.groups.size() == 1;
            const auto a = group_of(from);
            const auto b = group_of(to);
            const bool parts =
                a != b && (one_group || (a != cut.groups.end() && b != cut.groups.end()));
            if (parts && at_ns >= cut.from_ns && at_ns < cut.from_ns + cut.length_ns) {
                at_ns = cut.from_ns + cut.length_ns;
            }
        }
        return at_ns;
    }

    void note(std::uint32_t from, const PacketHead& head, std::span<const std::byte> bytes) {
        SentPacket packet{now(), from, head.peer, static_cast<std::uint32_t>(head.size),
                          core::hash_bytes(bytes) ^ static_cast<std::uint64_t>(head.kind)};
        digester_.update(static_cast<std::uint64_t>(packet.at_ns));
        digester_.update(std::uint64_t{packet.from} << 32U | packet.to);
        digester_.update(packet.hash);
        if (session_.packets.size() < Session::kMostKept) {
            session_.packets.push_back(packet);
        }
    }

    Result<Session> finish() {
        for (Seat& seat : seats_) {
            if (seat.is_active()) {  // nothing can wake it any more
                seat.process->kill();
                leave(seat, LifeEnd::waiting);
            }
        }
        std::ranges::sort(session_.runs, {},
                          [](const Life& run) { return std::pair(run.began_ns, run.peer); });
        session_.ended_ns = now();
        session_.ran_out = ran_out_;
        session_.traffic = network_.statistics();
        session_.digest = digester_.value();
        if (setup_.logs_packets) {
            if (auto network = network_.explicit_spec()) {
                session_.explicit_network = std::move(*network);
            }
            session_.logged.assign(network_.log().begin(), network_.log().end());
        }
        return std::move(session_);
    }

    const SessionSetup& setup_;
    const LockstepPlan& plan_;
    SimulatedNetwork network_;
    FileDescriptor library_;
    std::vector<Seat> seats_;
    std::vector<StreamLink> streams_;  // from * peers + to
    std::chrono::milliseconds patience_;
    std::size_t next_event_ = 0;
    std::int64_t looked_ns_ = 0;
    bool is_ending_ = false;
    bool ran_out_ = false;
    std::vector<std::byte> bytes_;
    core::StreamDigester digester_;
    Session session_;
};

std::string address_text(std::uint32_t peer) {
    const std::uint32_t address = kFirstAddress + peer;
    return std::to_string(address >> 24U) + "." + std::to_string(address >> 16U & 0xffU) + "." +
           std::to_string(address >> 8U & 0xffU) + "." + std::to_string(address & 0xffU);
}

}  // namespace

Result<std::string> filled_in(const std::string& text, const Values& values) {
    const auto& [peer, peers, record, dump] = values;
    std::string filled;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = text.find('{', at);
        filled += text.substr(at, open - at);
        if (open == std::string::npos) {
            break;
        }
        if (text.compare(open, 2, "{{") == 0) {
            filled += '{';
            at = open + 2;
            continue;
        }
        const std::size_t close = text.find('}', open);
        if (close == std::string::npos) {
            return core::fail(ErrorCode::usage, "'{' without '}' in '" + text + "'");
        }
        std::string name = text.substr(open + 1, close - open - 1);
        const std::size_t colon = name.find(':');
        std::uint32_t of = peer;
        bool is_known = true;
        if (colon != std::string::npos) {
            const std::string number = name.substr(colon + 1);
            is_known = !number.empty() && number.size() < 3 &&
                       number.find_first_not_of("0123456789") == std::string::npos;
            of = is_known ? static_cast<std::uint32_t>(std::stoul(number)) : 0;
            is_known = is_known && of < kMostPeers;
            name.resize(colon);
        }
        const std::string port = std::to_string(kFirstPort + of);
        const bool is_alone = colon == std::string::npos;
        if (is_known && name == "port") {
            filled += port;
        } else if (is_known && name == "ip") {
            filled += address_text(of);
        } else if (is_known && name == "address") {
            filled += address_text(of) + ":" + port;
        } else if (is_alone && name == "peer") {
            filled += std::to_string(peer);
        } else if (is_alone && name == "addresses") {
            for (std::uint32_t each = 0; each < peers; ++each) {
                filled += (each == 0 ? "" : ",") + address_text(each) + ":" +
                          std::to_string(kFirstPort + each);
            }
        } else if (is_alone && name == "peers") {
            filled += std::to_string(peers);
        } else if (is_alone && name == "record") {
            filled += record;
        } else if (is_alone && name == "dump") {
            filled += dump;
        } else {
            return core::fail(ErrorCode::usage,
                              "expected {peer}, {peers}, {port}, {ip}, {address}, {addresses}, "
                              "{record}, {dump}, or {address:0}, not '" +
                                  text.substr(open, close - open + 1) + "'");
        }
        at = close + 1;
    }
    return filled;
}

Result<Session> run_session(const SessionSetup& setup) {
    ISOTICK_TRY_ASSIGN(auto library, peer_library());
    ISOTICK_TRY_ASSIGN(auto network,
                       SimulatedNetwork::make(setup.plan.network, std::max(2U, setup.plan.peers),
                                              setup.plan.seed, {.log = setup.logs_packets}));
    const OneProcessor one(setup.slot);
    Runner runner(setup, std::move(network), std::move(library));
    return runner.run();
}

}  // namespace isotick::harness::netplay
