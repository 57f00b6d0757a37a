// The session that every host plays: hello, create, steps and hashes.

#include "../ways_in/process/requests.hpp"
#include "client.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <set>

namespace isotick::harness::check {
namespace {

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
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
            names.begin() + static_cast<std::ptrdiff_t>(i)) {
            return came("two parts called '" + names[i] + "'");
        }
    }
    stage.part_names = std::move(names);
    return {};
}

// The hashes of the script's states; of as many as there are where one fails.
Result<void> play_script(Client& client, const Stage& stage, std::vector<Hashes>& hashes) {
    for (std::uint64_t tick = 0; tick <= stage.script.size(); ++tick) {
        auto hash = client.hash();
        if (!hash) {
            return came("after " + std::to_string(tick) + " ticks, " + hash.error().message);
        }
        hashes.push_back(*std::move(hash));
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
    auto played = play_script(client, stage, hashes);
    for (std::size_t ticks = 0; played && ticks < hashes.size(); ++ticks) {
        const std::string when =
            ticks == 0 ? "before tick 0" : "at tick " + std::to_string(ticks - 1);
        played = expect_same(stage, stage.hashes[ticks], hashes[ticks], when);
    }
    stage.repeatable = played.has_value();
    return played;
}

Result<void> players(Stage& stage) {
    const isotick_info& info = stage.facts.info;
    for (const std::uint32_t count : std::set{info.least_players, info.most_players}) {
        ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
        const auto body = create_body(stage, count, stage.options.config);
        auto played = client.ask(Verb::create, body).map([](const Bytes&) {});
        for (std::uint64_t tick = 0; played && tick < 3; ++tick) {
            played = client.step(tick, make_script(count)[tick]);
        }
        if (!played) {
            return came("with " + std::to_string(count) + " players, " + played.error().message);
        }
    }
    return {};
}

Result<void> inputs(Stage& stage) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{ISOTICK_LONGEST_INPUT}}) {
        ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
        auto played = client.step(0, TickInputs(stage.players() + 1));
        for (std::uint64_t tick = 1; played && tick < 5; ++tick) {
            const Bytes bytes = repeated(size, tick % 2 == 0 ? 0xff : 0);
            played = client.step(tick, TickInputs(stage.players() + 1, bytes));
        }
        if (!played) {
            return came("with inputs of " + std::to_string(size) + " bytes, " +
                        played.error().message);
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
         .advice = "answer every request once, in order, and in one piece",
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

}  // namespace isotick::harness::check
