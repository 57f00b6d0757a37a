// Checks of how errors are reported and what is refused.

#include "check_client.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>

#include <array>
#include <bit>
#include <limits>
#include <string_view>

namespace isotick::harness::check {
namespace {

// Requests that nobody can carry out.

using core::Bytes;
using core::Result;

std::string bytes_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

Result<void> unknown_verb(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    ISOTICK_TRY_ASSIGN(const auto before, client.hash());
    for (const int verb : {0, 14, 63, 64, 255}) {
        const std::string what = "to verb " + std::to_string(verb);
        client.queue(static_cast<std::uint8_t>(verb), hello_body());
        ISOTICK_TRY_ASSIGN(const auto reply,
                           told(what + ", ", client.receive(static_cast<Verb>(0xff))));
        if (reply.status != Status::unknown_verb) {
            return came(what + " it answers with " + status_text(reply));
        }
    }
    const std::string then = "after verbs that it does not know";
    ISOTICK_TRY_ASSIGN(const auto after, told(then + ", ", client.hash()));
    return expect_same(stage, before, after, then);
}

Result<void> too_short(Stage& stage) {
    std::vector<Nonsense> requests;
    const auto cut = [&](const std::string& name, const Nonsense& whole,
                         std::initializer_list<std::size_t> sizes) {
        for (const std::size_t size : sizes) {
            requests.push_back(whole);
            requests.back().words = "to a " + name + " of " + bytes_text(size);
            requests.back().body.resize(size);
        }
    };
    const Bytes hello = hello_body();
    const Bytes create = create_body(stage);
    const Bytes step = step_body(stage, 0, TickInputs(stage.players() + 1, Bytes(3, std::byte{1})));
    cut("hello", {{}, Client::start, Verb::hello, hello}, {0, hello.size() - 1});
    cut("create", {{}, Client::greeted, Verb::create, create}, {0, 19, create.size() - 1});
    cut("step", {{}, Client::created, Verb::step, step}, {0, 35, step.size() - 1});
    return must_refuse(stage, requests);
}

// Counts of things that are not there: nobody may make room for them.
Result<void> false_counts(Stage& stage) {
    constexpr std::size_t kBeforeSettings = 20;
    constexpr std::size_t kBeforeInputs = 32;
    Bytes create = create_body(stage);
    core::store(create.data() + kBeforeSettings, UINT32_MAX);
    Bytes step = step_body(stage, 0, TickInputs(stage.players() + 1));
    core::store(step.data() + kBeforeInputs, UINT32_MAX);
    return must_refuse(
        stage, {{"to a create with 4,294,967,295 settings", Client::greeted, Verb::create, create},
                {"to a step with 4,294,967,295 inputs", Client::created, Verb::step, step}});
}

Result<void> wrong_order(Stage& stage) {
    const Bytes create = create_body(stage);
    return must_refuse(stage, {{"to create before hello", Client::start, Verb::create, create},
                               {"to step before create", Client::greeted, Verb::step,
                                step_body(stage, 0, stage.script[0])},
                               {"to hash before create", Client::greeted, Verb::hash, {}},
                               {"to a second create", Client::created, Verb::create, create},
                               {"to a second hello", Client::created, Verb::hello, hello_body()}});
}

Result<void> wrong_hello(Stage& stage) {
    Bytes magic = hello_body();
    magic.front() ^= std::byte{1};
    ISOTICK_TRY(must_refuse(
        stage, {{"to a hello that does not say isotick", Client::start, Verb::hello, magic}}));
    ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
    Bytes later = hello_body();
    core::store(later.data() + kHelloMagic.size(), kProtocolVersion + 1);
    ISOTICK_TRY_ASSIGN(const auto reply,
                       told("to a host of version 2: ",
                            client.ask_for(Verb::hello, later, {Status::ok, Status::failed})));
    const bool says_one = core::ByteReader(reply.body).get<std::uint32_t>() == kProtocolVersion;
    return reply.status == Status::failed || says_one
               ? Result<void>()
               : came("to a host of version 2: a version that is not its own");
}

Result<void> settings(Stage& stage) {
    constexpr std::size_t kRateAt = 12;
    core::Settings unknown = stage.options.config;
    ISOTICK_TRY(unknown.set("isotick-check", "no such key"));
    const std::uint32_t most = stage.facts.info.most_players;
    Bytes no_rate = create_body(stage);
    core::store(no_rate.data() + kRateAt, std::uint64_t{0});
    const std::pair<std::string, Bytes> tries[] = {
        {"to a config key that it does not know", create_body(stage, stage.players(), unknown)},
        {"to one player more than it takes", create_body(stage, most + 1, stage.options.config)},
        {"to a tick rate of 0/0", no_rate},
    };
    for (const auto& [what, body] : tries) {
        ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
        ISOTICK_TRY(
            told(what + ": ", client.ask_for(Verb::create, body,
                                             {Status::ok, Status::failed, Status::bad_settings})));
    }
    return {};
}

}  // namespace

std::vector<Check> error_checks() {
    return {
        {.name = "unknown-verb",
         .expected = "answers verbs that it does not know with status 3, and goes on",
         .advice = "later versions have more verbs: say so, and nothing else",
         .play = unknown_verb},
        {.name = "too-short",
         .expected = "answers requests that end too early with status 1",
         .advice = "check the size before you read a value",
         .play = too_short},
        {.name = "false-counts",
         .expected = "answers counts that no request can hold with status 1",
         .advice = "check the rest of the body before you allocate",
         .play = false_counts},
        {.name = "wrong-order",
         .expected = "answers requests that come out of order with status 1",
         .advice = "hello comes first, then one create, then anything but these",
         .play = wrong_order},
        {.name = "wrong-hello",
         .expected =
             "answers an invalid hello with status 1, one of version 2 with its own version",
         .advice = "compare the first eight bytes of hello",
         .play = wrong_hello},
        {.name = "settings",
         .expected = "answers settings that make no sense, best with status 2 and a reason",
         .advice = "check players, rate and config before you use them",
         .play = settings},
    };
}

// What makes no sense and must not reach a simulation.

namespace {

using core::Bytes;
using core::Result;

Result<void> step_inputs(Stage& stage) {
    const std::uint32_t players = stage.players();
    const TickInputs too_long(players + 1, Bytes(ISOTICK_LONGEST_INPUT + 1));
    std::vector<Nonsense> requests;
    for (const std::uint32_t count : {0U, players, players + 2}) {
        requests.push_back({"to a step with " + std::to_string(count) + " inputs for " +
                                std::to_string(players) + " players and the world",
                            Client::created, Verb::step, step_body(stage, 0, TickInputs(count))});
    }
    requests.push_back({"to a step with inputs of 65,537 bytes", Client::created, Verb::step,
                        step_body(stage, 0, too_long)});
    return must_refuse(stage, requests);
}

Result<void> step_times(Stage& stage) {
    constexpr std::size_t kSecondsAt = 8;
    constexpr std::size_t kFractionAt = 16;
    const Bytes step = step_body(stage, 0, stage.script[0]);
    const auto with = [&step](const char* words, std::size_t at, auto... values) {
        Nonsense changed{words, Client::created, Verb::step, step};
        for (const std::uint64_t value : {std::bit_cast<std::uint64_t>(values)...}) {
            core::store(changed.body.data() + at, value);
            at += sizeof(value);
        }
        return changed;
    };
    std::vector<Nonsense> requests{
        with("to a step of tick 5 where tick 0 is next", 0, std::uint64_t{5}),
        with("to a step with a dt that is not a number", kSecondsAt,
             std::numeric_limits<double>::quiet_NaN()),
        with("to a step with a dt of -1 s", kSecondsAt, -1.0),
        with("to a step with a dt of 1/0 s", kFractionAt, std::uint64_t{1}, std::uint64_t{0}),
    };
    if ((stage.facts.info.capabilities & ISOTICK_CHANGING_DT) == 0) {
        requests.push_back(with("to a step with a dt of 2 s, which changes", kSecondsAt, 2.0));
    }
    return must_refuse(stage, requests);
}

Result<void> alphas(Stage& stage) {
    std::vector<Nonsense> requests;
    for (const double alpha : {1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
        requests.push_back({"to render of alpha " + std::to_string(alpha), Client::created,
                            Verb::render, number_body(std::bit_cast<std::uint64_t>(alpha))});
    }
    return must_refuse(stage, requests);
}

Result<void> no_player(Stage& stage) {
    std::vector<Nonsense> requests;
    for (const std::uint32_t player : {stage.players(), ISOTICK_WORLD - 1}) {
        Bytes body = number_body(player);
        core::put(body, std::uint64_t{0});  // the tick
        core::put(body, std::uint64_t{0});  // the entropy
        requests.push_back({"to propose_input for player " + std::to_string(player),
                            Client::created, Verb::propose_input, body});
    }
    return must_refuse(stage, requests);
}

// Who answers no more is right too.
Result<void> after_failure(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    ISOTICK_TRY(client.ask_for(Verb::step, {}, {Status::failed}));
    const auto reply = client.reply(Verb::hash);
    return !reply || reply->status == Status::failed
               ? Result<void>()
               : came("to hash after a step that failed: " + status_text(*reply));
}

}  // namespace

std::vector<Check> refusal_checks() {
    return {
        {.name = "step-inputs",
         .expected = "answers steps with too few, too many and too long inputs with status 1",
         .advice = "compare their number with players + 1, and each size with 65,536, first",
         .play = step_inputs},
        {.name = "step-times",
         .expected = "answers ticks out of order and dts that make no sense with status 1",
         .advice = "tick 0 follows create, any tick a load; see 'What makes no sense'",
         .play = step_times},
        {.name = "alphas",
         .expected = "answers alphas that are not from 0 to below 1 with status 1",
         .advice = "write it so that NaN is refused too: unless 0 <= alpha and alpha < 1",
         .play = alphas,
         .needs = bit_of(Verb::render)},
        {.name = "no-player",
         .expected = "answers proposals for players that are not there with status 1",
         .advice = "players count from 0; only the world is beyond them",
         .play = no_player,
         .needs = bit_of(Verb::propose_input)},
        {.name = "after-failure",
         .expected = "answers what comes after a failure with status 1 or not at all",
         .advice = "remember that something failed: later requests were on their way already",
         .play = after_failure},
    };
}

}  // namespace isotick::harness::check
