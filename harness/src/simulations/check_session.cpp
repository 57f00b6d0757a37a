// Checks of one simulation played from creation to its end.

#include "check_client.hpp"
#include "connection.hpp"
#include "told_writes.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <string_view>

namespace isotick::harness::check {
namespace {

// The session that every host plays: hello, create, steps and hashes.

using core::Bytes;
using core::Result;

constexpr std::uint64_t kTicks = 64;
constexpr std::uint64_t kSeedOfInputs = 7;

Bytes repeated(std::size_t size, unsigned value) {
    return Bytes(size, static_cast<std::byte>(value));
}

// Some of everything: absent, empty, of one byte and of a few.
std::vector<TickInputs> make_script(std::uint32_t players) {
    core::Pcg32 chance(kSeedOfInputs);
    std::vector<TickInputs> script(kTicks, TickInputs(players + 1));
    for (TickInputs& inputs : script) {
        for (auto& input : inputs) {
            const std::uint32_t kind = chance.below(4);
            if (kind > 0) {
                input = repeated(kind == 3 ? 3 : kind - 1, chance.below(256));
            }
        }
    }
    return script;
}

Result<void> hello(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
    return client.greet(stage.facts).and_then([&] { return core::check_info(&stage.facts.info); });
}

Result<std::vector<std::string>> created_names(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
    return client.ask(Verb::create, create_body(stage)).and_then(part_names_in);
}

Result<void> create(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto names, created_names(stage));
    if (std::find(names.begin(), names.end(), "") != names.end()) {
        return came("a part without a name");
    }
    std::set<std::string> seen;
    for (const std::string& name : names) {
        if (!seen.insert(name).second) {
            return came("two parts called '" + name + "'");
        }
    }
    stage.part_names = std::move(names);
    return {};
}

// The hashes of the script's states; of as many as there are where one fails.
Result<void> play_script(Client& client, const Stage& stage, std::vector<Hashes>& hashes) {
    for (std::uint64_t tick = 0; tick <= stage.script.size(); ++tick) {
        ISOTICK_TRY_ASSIGN(auto hash,
                           told("after " + std::to_string(tick) + " ticks, ", client.hash()));
        hashes.push_back(std::move(hash));
        if (tick < stage.script.size()) {
            ISOTICK_TRY(client.step(tick, stage.script[tick]));
        }
    }
    return {};
}

Result<void> step(Stage& stage) {
    stage.script = make_script(stage.players());
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    return play_script(client, stage, stage.hashes);
}

Result<void> names(Stage& stage) {
    ProcessInfo now;
    {
        ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
        ISOTICK_TRY(client.greet(now));
    }
    const ProcessInfo& before = stage.facts;
    if (now.name != before.name || now.verbs != before.verbs ||
        now.hash_algorithm != before.hash_algorithm) {
        return came("another name, set of verbs or hash algorithm at the second start");
    }
    ISOTICK_TRY_ASSIGN(const auto again, created_names(stage));
    return again == stage.part_names ? Result<void>()
                                     : came("other names of parts at the second start");
}

Result<void> same_again(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    std::vector<Hashes> hashes;
    ISOTICK_TRY(play_script(client, stage, hashes));
    for (std::size_t ticks = 0; ticks < hashes.size(); ++ticks) {
        const std::string when =
            ticks == 0 ? "before tick 0" : "at tick " + std::to_string(ticks - 1);
        ISOTICK_TRY(expect_same(stage, stage.hashes[ticks], hashes[ticks], when));
    }
    stage.repeatable = true;
    return {};
}

Result<void> players(Stage& stage) {
    const isotick_info& info = stage.facts.info;
    for (const std::uint32_t count : std::set{info.least_players, info.most_players}) {
        ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
        const std::string with = "with " + std::to_string(count) + " players, ";
        const auto body = create_body(stage, count, stage.options.config);
        ISOTICK_TRY(told(with, client.ask(Verb::create, body)));
        for (std::uint64_t tick = 0; tick < 3; ++tick) {
            ISOTICK_TRY(told(with, client.step(tick, make_script(count)[tick])));
        }
    }
    return {};
}

Result<void> inputs(Stage& stage) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{ISOTICK_LONGEST_INPUT}}) {
        ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
        const std::string with = "with inputs of " + std::to_string(size) + " bytes, ";
        ISOTICK_TRY(told(with, client.step(0, TickInputs(stage.players() + 1))));
        for (std::uint64_t tick = 1; tick < 5; ++tick) {
            const Bytes bytes = repeated(size, tick % 2 == 0 ? 0xff : 0);
            ISOTICK_TRY(told(with, client.step(tick, TickInputs(stage.players() + 1, bytes))));
        }
    }
    return {};
}

Result<void> hash_twice(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    ISOTICK_TRY(client.step(0, stage.script[0]));
    ISOTICK_TRY_ASSIGN(const auto one, client.hash());
    ISOTICK_TRY_ASSIGN(const auto other, client.hash());
    return expect_same(stage, one, other, "the second time");
}

}  // namespace

std::vector<Check> session_checks() {
    return {
        {.name = "hello",
         .expected = "answers hello with version 1 and an info that makes sense",
         .advice = "see 'The info' in harness/PROTOCOL.md; nothing but answers may go to stdout",
         .play = hello,
         .essential = true},
        {.name = "create",
         .expected = "makes a simulation of the usual settings, each part with its own name",
         .advice = "see verb 2; settings it needs are given by --config and --environment",
         .play = create,
         .essential = true},
        {.name = "step",
         .expected = "steps 64 ticks, with as many hashes as parts after each",
         .advice = "answer every request once, in order, and in one piece; a step's answer has no "
                   "body, or checkpoints",
         .play = step,
         .essential = true},
        {.name = "hash-twice",
         .expected = "hashes a state that did not change as before",
         .advice = "hash must not change anything",
         .play = hash_twice,
         .essential = true},
        {.name = "names",
         .expected = "gives the same info and the same parts at every start",
         .advice = "names and their order must come from the code, not from a set or an address",
         .play = names},
        {.name = "same-again",
         .expected = "has the same hashes in another process",
         .advice = "look for what differs between processes: clocks, addresses, random seeds, "
                   "the order of sets",
         .play = same_again},
        {.name = "players",
         .expected = "takes the least and the most players that its info names",
         .advice = "correct the numbers of players in the info",
         .play = players},
        {.name = "inputs",
         .expected = "takes inputs that are absent, empty, and of 1 and 65,536 bytes",
         .advice = "ignore inputs that mean nothing, rather than fail",
         .play = inputs},
    };
}

// What only looks at the state must not change it: frames and fields.

namespace {

using core::Bytes;
using core::Result;

constexpr double kLargestAlpha = 1.0 - std::numeric_limits<double>::epsilon() / 2;

/// One request that only looks.
struct Look {
    std::string words;  // `render of alpha 0.5`
    Verb verb;
    Bytes body;
};

Result<void> look_once(Client& client, const Stage& stage, const Look& look, const Hashes& before) {
    ISOTICK_TRY_ASSIGN(const auto seen, client.ask(look.verb, look.body));
    if (look.verb == Verb::visit_fields) {
        if (const auto checked = core::check_fields(seen); !checked) {
            return came("fields that cannot be read: " + describe(checked.error()));
        }
    }
    ISOTICK_TRY_ASSIGN(const auto after, client.hash());
    return expect_same(stage, before, after, "after " + look.words);
}

// Looks in all these ways after each tick of the script.
Result<void> look_at_ticks(Stage& stage, const std::vector<Look>& looks) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < stage.script.size(); ++tick) {
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
        ISOTICK_TRY_ASSIGN(const auto before, client.hash());
        const std::string at = "at tick " + std::to_string(tick) + ", ";
        if (stage.repeatable) {
            ISOTICK_TRY(
                told(at, expect_same(stage, stage.hashes[tick + 1], before,
                                     "compared with a session without " + looks.front().words)));
        }
        for (const Look& look : looks) {
            ISOTICK_TRY(told(at, look_once(client, stage, look, before)));
        }
    }
    return {};
}

Result<void> begin_frame(Stage& stage) {
    std::vector<Look> looks;
    for (const std::int64_t time :
         {std::int64_t{16'666'667}, std::int64_t{0}, std::int64_t{-1},
          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
        looks.push_back({"begin_frame of " + std::to_string(time) + " ns", Verb::begin_frame,
                         number_body(time)});
    }
    return look_at_ticks(stage, looks);
}

Result<void> render(Stage& stage) {
    std::vector<Look> looks;
    const std::pair<const char*, double> alphas[] = {
        {"0.5", 0.5}, {"0", 0.0}, {"almost 1", kLargestAlpha}};
    for (const auto& [words, alpha] : alphas) {
        looks.push_back({std::string("render of alpha ") + words, Verb::render,
                         number_body(std::bit_cast<std::uint64_t>(alpha))});
    }
    return look_at_ticks(stage, looks);
}

// Each tick is noted on its own.
Result<void> note_tick(Client& client, const Stage& stage, std::uint64_t tick) {
    ISOTICK_TRY(client.ask(Verb::note_writes, Bytes{std::byte{1}}));
    ISOTICK_TRY(client.step(tick, stage.script[tick]));
    ISOTICK_TRY_ASSIGN(const auto hashes, client.hash());
    if (stage.repeatable) {
        ISOTICK_TRY(expect_same(stage, stage.hashes[tick + 1], hashes,
                                "compared with a session without note_writes"));
    }
    ISOTICK_TRY_ASSIGN(const auto log, client.ask(Verb::note_writes, Bytes{std::byte{0}}));
    const auto told = read_told_writes(log);
    if (!told) {
        return came(describe(told.error()));
    }
    ISOTICK_TRY_ASSIGN(const auto fields, client.ask(Verb::visit_fields));
    const auto last = told->writes.empty() ? told->first : told->writes.back().after;
    return told->cut || std::ranges::equal(last, fields)
               ? Result<void>()
               : came("a log whose last fields are not those of visit_fields");
}

Result<void> note_writes(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < stage.script.size(); ++tick) {
        ISOTICK_TRY(told("at tick " + std::to_string(tick) + ", ", note_tick(client, stage, tick)));
    }
    return {};
}

Result<void> fields(Stage& stage) {
    return look_at_ticks(stage, {{"visit_fields", Verb::visit_fields, {}}});
}

}  // namespace

std::vector<Check> look_checks() {
    return {
        {.name = "begin-frame",
         .expected = "keeps its hashes in begin_frame, whatever the frame time",
         .advice = "begin_frame may change what only rendering reads; the time of a tick is the "
                   "dt of its step",
         .play = begin_frame,
         .needs = bit_of(Verb::begin_frame)},
        {.name = "render",
         .expected = "keeps its hashes in render, whatever the alpha",
         .advice =
             "render may change what only rendering reads, and needs its own random generator",
         .play = render,
         .needs = bit_of(Verb::render)},
        {.name = "fields",
         .expected = "writes fields as core/FIELDS.md specifies, and keeps its hashes",
         .advice = "compare the bytes with core/FIELDS.md from the offset on",
         .play = fields,
         .needs = bit_of(Verb::visit_fields)},
        {.name = "note-writes",
         .expected = "notes which code changes its fields, up to those after the tick, and keeps "
                     "its hashes",
         .advice = "a log is: u8 cut, the fields before, then for each line that changes them the "
                   "verb, the calls and the fields after it (harness/PROTOCOL.md)",
         .play = note_writes,
         .needs = bit_of(Verb::note_writes) | bit_of(Verb::visit_fields)},
    };
}

// save and load.

namespace {

using core::Bytes;
using core::Result;

constexpr std::uint64_t kSavedAfter = 32;  // ticks
constexpr std::uint64_t kFuture = 16;

// A client that has played the first ticks of the script.
Result<Client> played(Stage& stage, std::uint64_t ticks) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    return client;
}

Result<void> save_behind(Client& client, const Stage& stage, std::uint64_t tick) {
    ISOTICK_TRY(client.step(tick, stage.script[tick]));
    ISOTICK_TRY_ASSIGN(const auto before, client.hash());
    ISOTICK_TRY(client.ask(Verb::save));
    ISOTICK_TRY_ASSIGN(const auto after, client.hash());
    return expect_same(stage, before, after, "after save");
}

Result<void> save(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < stage.script.size(); ++tick) {
        ISOTICK_TRY(
            told("at tick " + std::to_string(tick) + ", ", save_behind(client, stage, tick)));
    }
    return {};
}

// After the snapshot was loaded, everything is as it was when it was saved, and then.
Result<void> goes_on_as_saved(Client& client, const Stage& stage, const Bytes& snapshot,
                              const std::string& where) {
    ISOTICK_TRY(told(where + ", ", client.ask(Verb::load, snapshot)));
    for (std::uint64_t tick = kSavedAfter; tick <= kSavedAfter + kFuture; ++tick) {
        ISOTICK_TRY_ASSIGN(const auto hashes, told(where + ", ", client.hash()));
        const std::string when =
            tick == kSavedAfter ? " right after load"
                                : ", " + std::to_string(tick - kSavedAfter) + " ticks after load";
        ISOTICK_TRY(expect_same(stage, stage.hashes[tick], hashes, where + when));
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    return {};
}

Result<void> load(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, played(stage, kSavedAfter));
    ISOTICK_TRY_ASSIGN(const auto snapshot, client.ask(Verb::save));
    ISOTICK_TRY_ASSIGN(auto other, Client::created(stage));
    ISOTICK_TRY(goes_on_as_saved(other, stage, snapshot, "in another process"));
    for (std::uint64_t tick = kSavedAfter; tick < kSavedAfter + kFuture; ++tick) {
        ISOTICK_TRY(client.step(tick, stage.script[tick]));
    }
    return goes_on_as_saved(client, stage, snapshot, "where it was saved");
}

struct Spoiled {
    std::string words;
    Bytes snapshot;
};

std::vector<Spoiled> spoiled(const Bytes& whole) {
    const std::size_t size = whole.size();
    std::vector<Spoiled> all{{"nothing", {}}};
    for (const std::size_t kept : {size / 2, size - std::min<std::size_t>(size, 1)}) {
        all.push_back({"the first " + std::to_string(kept) + " of " + std::to_string(size) +
                           " bytes of a snapshot",
                       {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept)}});
    }
    for (const std::size_t at : {std::size_t{0}, size / 3, size / 2, size - 1}) {
        if (at < size) {
            all.push_back({"a snapshot with byte " + std::to_string(at) + " inverted", whole});
            all.back().snapshot[at] ^= std::byte{0xff};
        }
    }
    all.push_back({"4,096 bytes of 0xff", Bytes(4096, std::byte{0xff})});
    return all;
}

Result<void> bad_snapshot(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, played(stage, kSavedAfter));
    ISOTICK_TRY_ASSIGN(const auto snapshot, client.ask(Verb::save));
    for (const Spoiled& each : spoiled(snapshot)) {
        ISOTICK_TRY_ASSIGN(auto other, Client::created(stage));
        ISOTICK_TRY(told("from " + each.words + ", ",
                         other.ask_for(Verb::load, each.snapshot, {Status::ok, Status::failed})));
    }
    return {};
}

}  // namespace

std::vector<Check> snapshot_checks() {
    constexpr std::uint64_t kBoth = bit_of(Verb::save) | bit_of(Verb::load);
    return {
        {.name = "save",
         .expected = "keeps its hashes when it is saved",
         .advice = "save must not change anything",
         .play = save,
         .needs = kBoth},
        {.name = "load",
         .expected = "continues from a snapshot as the original did, in any process",
         .advice = "look for state that the snapshot omits or load does not restore",
         .play = load,
         .needs = kBoth,
         .repeatable = true},
        {.name = "bad-snapshot",
         .expected = "answers snapshots that are cut off, changed or empty",
         .advice = "check sizes and values while loading; status 1 refuses the snapshot",
         .play = bad_snapshot,
         .needs = kBoth},
    };
}

// How a process ends.

namespace {

using core::Bytes;
using core::Result;

std::string end_text(const Connection::Ending& ending) {
    if (!ending.process) {
        return "it is still there";
    }
    return ending.process->signal == 0
               ? "it ends with exit code " + std::to_string(ending.process->exit_code)
               : describe_end(*ending.process);
}

bool ended_well(const Connection::Ending& ending) {
    return ending.process && ending.process->well();
}

Result<void> end(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, played(stage, stage.script.size()));
    client.hang_up();
    const auto ending = client.await_end(ChildProcess::kPatience);
    if (!ending.rest.empty()) {
        return came("on stdout, after the answers: " + ending.rest);
    }
    return ended_well(ending) ? Result<void>()
                              : came(end_text(ending) + (ending.process ? "" : " after 2 s"));
}

// After bytes that are no whole request, and perhaps the end of stdin.
Result<void> must_end_badly(Stage& stage, const Bytes& bytes, bool hang_up,
                            const std::string& what) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    ISOTICK_TRY(client.send(bytes));
    if (hang_up) {
        client.hang_up();
    }
    const auto ending = client.await_end(hang_up ? ChildProcess::kPatience : stage.options.timeout);
    return ending.process && !ended_well(ending) ? Result<void>()
                                                 : came("after " + what + ", " + end_text(ending));
}

Result<void> cut_off(Stage& stage) {
    Bytes step = request(Verb::step, step_body(stage, 0, stage.script[0]));
    step.pop_back();
    ISOTICK_TRY(
        must_end_badly(stage, {step.begin(), step.begin() + 2}, true, "two bytes of a request"));
    return must_end_badly(stage, step, true, "all of a step but its last byte");
}

Bytes beginning(std::uint32_t size, Verb verb) {
    Bytes head;
    core::put(head, size);
    core::put(head, static_cast<std::uint8_t>(verb));
    return head;
}

Result<void> sizes(Stage& stage) {
    const std::pair<std::string_view, Bytes> tries[] = {
        {"a size of 0", Bytes(kSizeBytes + 1, std::byte{0})},
        {"a step of more than 64 MiB", beginning(kLongestRequest + 1, Verb::step)},
        {"a load of more than 1 GiB", beginning(kLongestMessage + 1, Verb::load)},
    };
    for (const auto& [what, bytes] : tries) {
        ISOTICK_TRY(must_end_badly(stage, bytes, false, std::string(what)));
    }
    return {};
}

}  // namespace

std::vector<Check> end_checks() {
    return {
        {.name = "end",
         .expected = "ends with exit code 0 within 2 s of the end of stdin, stdout all answers",
         .advice = "exit when a read returns end of file; answer each request once",
         .play = end},
        {.name = "cut-off",
         .expected = "ends with another exit code than 0 where stdin ends within a request",
         .advice = "the host has crashed: do not report success",
         .play = cut_off},
        {.name = "sizes",
         .expected = "ends with another exit code than 0 at a size of 0 or beyond 64 MiB or 1 GiB",
         .advice = "the next request cannot be found; check each size before you use it",
         .play = sizes},
    };
}

}  // namespace isotick::harness::check
