// The plan of a lockstep session, as text and back.

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace isotick::harness {
namespace {

// The one line that says all about a session of peers.

using core::ErrorCode;
using core::Result;
using core::TextCursor;

constexpr std::array<std::pair<PeerEvent::Kind, std::string_view>, 5> kEvents{
    {{PeerEvent::Kind::leave, "leave"},
     {PeerEvent::Kind::kill, "kill"},
     {PeerEvent::Kind::join, "join"},
     {PeerEvent::Kind::pause, "pause"},
     {PeerEvent::Kind::rebind, "rebind"}}};

constexpr std::array<std::pair<PeerFault, std::string_view>, 9> kFaults{
    {{PeerFault::alters_inputs, "alters-inputs"},
     {PeerFault::two_faced, "two-faced"},
     {PeerFault::wrong_hashes, "wrong-hashes"},
     {PeerFault::far_ahead, "far-ahead"},
     {PeerFault::malformed, "malformed"},
     {PeerFault::oversized, "oversized"},
     {PeerFault::floods, "floods"},
     {PeerFault::keeps_leaver, "keeps-leaver"},
     {PeerFault::shuns_return, "shuns-return"}}};

std::string counted(std::uint64_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
    return std::ranges::find(table, value, &Table::value_type::first)->second;
}

template <class Table>
std::string names_in(const Table& table) {
    return core::joined(table, ", ", &Table::value_type::second);
}

std::string_view trimmed_part(std::string_view text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The first word of `text`, which is left with the rest.
std::string_view take_word(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed_part(text.substr(end));
    return word;
}

Result<std::uint64_t> number(std::string_view text, const char* what, std::uint64_t most) {
    TextCursor cursor(text);
    ISOTICK_TRY_ASSIGN(const std::uint64_t value, cursor.read_number(what, 0, most));
    if (!cursor.at_end()) {
        return cursor.expected("nothing more");
    }
    return value;
}

Result<core::FrameTime> duration(TextCursor& cursor) {
    ISOTICK_TRY_ASSIGN(const core::FrameTime time, cursor.read_duration());
    constexpr std::int64_t kLongest = 1'000'000'000'000'000;  // eleven days
    if (time.nanoseconds < 0 || time.nanoseconds > kLongest) {
        return core::fail(ErrorCode::usage, "a time is from 0 s to 1000000 s");
    }
    return time;
}

std::string frames_text(std::uint32_t peer, const PeerFrames& frames) {
    Drive drive;
    drive.loop = frames.loop;
    drive.schedule = frames.schedule;
    std::string text = "frames " + std::to_string(peer) + " ";
    text += std::to_string(frames.drift_ppm) + "ppm ";
    text += core::to_string(core::FrameTime{frames.start_ns}) + " ";
    return text + to_string(drive);
}

/// One plan, item by item.
class PlanParser {
  public:
    explicit PlanParser(const TraceResolver& traces) : traces_(traces) {}

    Result<void> take(std::string_view item) {
        std::string_view rest = item;
        const std::string_view word = take_word(rest);
        if (word == "lockstep" || word == "rollback") {
            return parse_peer_mode(item).map([this](PeerMode mode) { plan_.mode = mode; });
        }
        if (word == "network") {
            return NetworkSpec::parse(rest, traces_).map([this](NetworkSpec&& network) {
                plan_.network = std::move(network);
            });
        }
        if (word == "seed") {
            return store(plan_.seed, rest, "a seed", UINT64_MAX);
        }
        if (word == "delay") {
            plan_.adapts_delay = false;
            return store(plan_.input_delay, rest, "a number of ticks", 60);
        }
        if (word == "guess") {
            return store(plan_.most_guessed, rest, "a number of ticks", 128);
        }
        if (word == "fault") {
            return parse_faulty_peer(rest).map(
                [this](const FaultyPeer& faulty) { plan_.faults.push_back(faulty); });
        }
        if (word == "frames") {
            return frames(rest);
        }
        if (std::ranges::find(kEvents, word, [](const auto& entry) { return entry.second; }) !=
            kEvents.end()) {
            return parse_peer_event(item).map(
                [this](const PeerEvent& event) { plan_.events.push_back(event); });
        }
        return count(word, rest);
    }

    LockstepPlan finish() {
        std::ranges::stable_sort(plan_.events, {}, &PeerEvent::at_ns);
        return std::move(plan_);
    }

  private:
    template <class Number>
    static Result<void> store(Number& to, std::string_view text, const char* what,
                              std::uint64_t most) {
        return number(text, what, most).map([&to](std::uint64_t value) {
            to = static_cast<Number>(value);
        });
    }

    // `4 peers`, `1 spectators`
    Result<void> count(std::string_view value, std::string_view what) {
        if (what == "peers" || what == "peer") {
            return store(plan_.peers, value, "a number of peers", kMostPeers);
        }
        if (what == "ticks" || what == "tick") {
            return store(plan_.ticks, value, "a number of ticks", UINT64_MAX / 4);
        }
        if (what == "spectators" || what == "spectator") {
            return store(plan_.spectators, value, "a number of spectators", kMostPeers);
        }
        return core::fail(
            ErrorCode::usage,
            "expected lockstep, rollback, N peers, N spectators, N ticks, network, seed, "
            "delay, guess, frames, fault, " +
                names_in(kEvents) + ", not '" + std::string(value) + "'");
    }

    Result<void> frames(std::string_view text) {
        ISOTICK_TRY_ASSIGN(const auto peer, number(take_word(text), "a peer", kMostPeers - 1));
        plan_.frames.resize(std::max<std::size_t>(plan_.frames.size(), peer + 1));
        PeerFrames& frames = plan_.frames[peer];
        std::string_view drift = take_word(text);
        const bool slow = drift.starts_with('-');
        if (!drift.ends_with("ppm")) {
            return core::fail(ErrorCode::usage,
                              "expected a drift such as 200ppm, not '" + std::string(drift) + "'");
        }
        drift = drift.substr(slow ? 1 : 0, drift.size() - (slow ? 4 : 3));
        ISOTICK_TRY_ASSIGN(const auto ppm, number(drift, "a drift", 100'000));
        frames.drift_ppm = slow ? -static_cast<std::int64_t>(ppm) : static_cast<std::int64_t>(ppm);
        TextCursor start(take_word(text));
        ISOTICK_TRY_ASSIGN(const core::FrameTime begins, duration(start));
        frames.start_ns = begins.nanoseconds;
        ISOTICK_TRY_ASSIGN(Drive drive, parse_drive(text));
        if (!drive.axes.empty()) {
            return core::fail(ErrorCode::usage, "a peer's frames are a loop and a schedule");
        }
        frames.loop = drive.loop;
        frames.schedule = std::move(drive.schedule);
        return {};
    }

    const TraceResolver& traces_;
    LockstepPlan plan_;
};

}  // namespace

std::string_view to_string(PeerFault fault) {
    return name_in(kFaults, fault);
}

std::string to_string(const PeerEvent& event) {
    std::string text(name_in(kEvents, event.kind));
    text += " " + std::to_string(event.peer) + "@" + core::to_string(core::FrameTime{event.at_ns});
    return event.kind == PeerEvent::Kind::pause
               ? text + "+" + core::to_string(core::FrameTime{event.for_ns})
               : text;
}

Result<PeerEvent> parse_peer_event(std::string_view text) {
    std::string_view rest = trimmed_part(text);
    const std::string_view word = take_word(rest);
    const auto kind =
        std::ranges::find(kEvents, word, [](const auto& entry) { return entry.second; });
    if (kind == kEvents.end()) {
        return core::fail(ErrorCode::usage, "expected " + names_in(kEvents) +
                                                " and a peer and time such as 2@10s, not '" +
                                                std::string(text) + "'");
    }
    PeerEvent event;
    event.kind = kind->first;
    TextCursor cursor(rest);
    ISOTICK_TRY_ASSIGN(const auto peer, cursor.read_number("a peer", 0, kMostPeers - 1));
    event.peer = static_cast<std::uint32_t>(peer);
    ISOTICK_TRY(cursor.expect('@'));
    ISOTICK_TRY_ASSIGN(const core::FrameTime at, duration(cursor));
    event.at_ns = at.nanoseconds;
    if (event.kind == PeerEvent::Kind::pause) {
        ISOTICK_TRY(cursor.expect('+'));
        ISOTICK_TRY_ASSIGN(const core::FrameTime length, duration(cursor));
        event.for_ns = length.nanoseconds;
    }
    if (!cursor.at_end()) {
        return cursor.expected("nothing more");
    }
    return event;
}

Result<FaultyPeer> parse_faulty_peer(std::string_view text) {
    std::string_view rest = trimmed_part(text);
    ISOTICK_TRY_ASSIGN(const auto peer, number(take_word(rest), "a peer", kMostPeers - 1));
    const auto fault =
        std::ranges::find(kFaults, rest, [](const auto& entry) { return entry.second; });
    if (fault == kFaults.end()) {
        return core::fail(ErrorCode::usage,
                          "expected " + names_in(kFaults) + ", not '" + std::string(rest) + "'");
    }
    return FaultyPeer{static_cast<std::uint32_t>(peer), fault->first};
}

std::string to_string(const LockstepPlan& plan) {
    std::string text(to_string(plan.mode));
    text += "; " + counted(plan.peers, "peer");
    const auto add = [&text](const std::string& item) { text += "; " + item; };
    if (plan.spectators > 0) {
        add(counted(plan.spectators, "spectator"));
    }
    if (plan.ticks > 0) {
        add(counted(plan.ticks, "tick"));
    }
    add("network " + plan.network.to_string());
    add("seed " + std::to_string(plan.seed));
    if (!plan.adapts_delay) {
        add("delay " + std::to_string(plan.input_delay));
    }
    if (plan.most_guessed != LockstepPlan().most_guessed) {
        add("guess " + std::to_string(plan.most_guessed));
    }
    for (std::uint32_t peer = 0; peer < plan.frames.size(); ++peer) {
        if (plan.frames[peer] != PeerFrames()) {
            add(frames_text(peer, plan.frames[peer]));
        }
    }
    for (const PeerEvent& event : plan.events) {
        add(to_string(event));
    }
    for (const FaultyPeer& faulty : plan.faults) {
        add("fault " + std::to_string(faulty.peer) + " " + std::string(to_string(faulty.fault)));
    }
    return text;
}

Result<LockstepPlan> parse_lockstep_plan(std::string_view text, const TraceResolver& traces) {
    PlanParser parser(traces);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view item = trimmed_part(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (auto taken = parser.take(item); !taken) {
            return core::fail(ErrorCode::usage,
                              "in '" + std::string(item) + "': " + taken.error().message);
        }
    }
    return parser.finish();
}

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
        if (event.kind == PeerEvent::Kind::rebind) {
            return wrong(event, "has no ports here to rebind: isotick netplay has them");
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
