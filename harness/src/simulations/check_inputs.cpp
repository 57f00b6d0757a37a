// Checks of inputs and of messages in general.

#include "check_client.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <string_view>

namespace isotick::harness::check {
namespace {

// Inputs that a simulation proposes, describes and composes.

using core::Bytes;
using core::Result;

constexpr std::uint64_t kInputTicks = 32;
constexpr std::uint64_t kSeedOfEntropy = 11;

// Who contributes at this place of a tick's inputs.
std::uint32_t player_at(std::size_t place, const Stage& stage) {
    return place < stage.players() ? static_cast<std::uint32_t>(place) : ISOTICK_WORLD;
}

std::string player_text(std::uint32_t player) {
    return player == ISOTICK_WORLD ? "the world" : "player " + std::to_string(player);
}

Bytes proposal_body(std::uint32_t player, std::uint64_t tick, std::uint64_t entropy) {
    Bytes body = number_body(player);
    core::put(body, tick);
    core::put(body, entropy);
    return body;
}

Result<std::optional<Bytes>> input_in(const Bytes& body) {
    if (body.empty() || body.front() > std::byte{1}) {
        return came("an answer that begins with neither 0 nor 1");
    }
    const std::size_t size = body.size() - 1;
    if (size > ISOTICK_LONGEST_INPUT || (size > 0 && body.front() == std::byte{0})) {
        return came("an input of " + std::to_string(size) + " bytes" +
                    (body.front() == std::byte{0} ? " that is absent" : "; 65,536 are the most"));
    }
    return body.front() == std::byte{0} ? std::nullopt
                                        : std::optional(Bytes(body.begin() + 1, body.end()));
}

// Asked twice, it must be the same.
Result<std::optional<Bytes>> propose_twice(Client& client, const Bytes& question) {
    ISOTICK_TRY_ASSIGN(const auto one, client.ask(Verb::propose_input, question));
    ISOTICK_TRY_ASSIGN(const auto other, client.ask(Verb::propose_input, question));
    if (one != other) {
        return came("another input at the second time, from the same entropy");
    }
    return input_in(one);
}

Result<TickInputs> propose_tick(Client& client, const Stage& stage, std::uint64_t tick) {
    TickInputs inputs;
    for (std::size_t place = 0; place <= stage.players(); ++place) {
        const std::uint32_t player = player_at(place, stage);
        const std::uint64_t entropy = core::derive_seed(kSeedOfEntropy, {tick, place});
        ISOTICK_TRY_ASSIGN(
            auto input,
            told("for " + player_text(player) + " at tick " + std::to_string(tick) + ", ",
                 propose_twice(client, proposal_body(player, tick, entropy))));
        inputs.push_back(std::move(input));
    }
    return inputs;
}

Result<void> propose(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < kInputTicks; ++tick) {
        ISOTICK_TRY_ASSIGN(const auto before, client.hash());
        ISOTICK_TRY_ASSIGN(const auto inputs, propose_tick(client, stage, tick));
        ISOTICK_TRY_ASSIGN(const auto after, client.hash());
        ISOTICK_TRY(
            expect_same(stage, before, after, "after proposals for tick " + std::to_string(tick)));
        ISOTICK_TRY(client.step(tick, inputs));
    }
    return {};
}

// What there is to be described besides the script: as many proposals as it makes properly.
std::vector<TickInputs> proposals(Stage& stage) {
    std::vector<TickInputs> all;
    if (stage.facts.answers(Verb::propose_input)) {
        auto client = Client::created(stage);
        for (std::uint64_t tick = 0; client && tick < kInputTicks; ++tick) {
            auto inputs = propose_tick(*client, stage, tick);
            if (!inputs || !client->step(tick, *inputs)) {
                break;  // which is another check's finding
            }
            all.push_back(*std::move(inputs));
        }
    }
    return all;
}

Bytes about_player(std::uint32_t player, std::span<const std::byte> rest) {
    Bytes body = number_body(player);
    core::put_bytes(body, rest);
    return body;
}

Result<Reply> ask_about(Client& client, Verb verb, std::uint32_t player,
                        std::span<const std::byte> rest) {
    return client.ask_for(verb, about_player(player, rest), {Status::ok, Status::failed});
}

std::string_view text_of(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What is described has to be JSON, and what is composed of it has to mean the same again.
Result<void> describe_and_compose(Client& client, std::uint32_t player, const Bytes& input) {
    const auto words = ask_about(client, Verb::describe_input, player, input);
    if (!words || words->status == Status::failed) {
        return words.map([](const Reply&) {});
    }
    if (words->body.size() > ISOTICK_LONGEST_INPUT_TEXT) {
        return came("a description of more than 1 MiB");
    }
    if (const auto json = core::parse_json(text_of(words->body)); !json) {
        return came("a description that is not JSON: " + describe(json.error()));
    }
    const auto composed = client.ask(Verb::compose_input, about_player(player, words->body));
    if (!composed || *composed == input) {
        return composed.map([](const Bytes&) {});
    }
    if (composed->size() > ISOTICK_LONGEST_INPUT) {
        return came("an input of " + std::to_string(composed->size()) + " bytes");
    }
    const auto again = ask_about(client, Verb::describe_input, player, *composed);
    return again && again->body != words->body
               ? came("composed of its description, an input with another description")
               : again.map([](const Reply&) {});
}

Result<void> describes(Stage& stage) {
    std::vector<TickInputs> all = proposals(stage);
    all.insert(all.end(), stage.script.begin(), stage.script.end());
    ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
    for (const TickInputs& inputs : all) {
        for (std::size_t place = 0; place < inputs.size(); ++place) {
            if (inputs[place]) {
                ISOTICK_TRY(describe_and_compose(client, player_at(place, stage), *inputs[place]));
            }
        }
    }
    return {};
}

Result<void> hostile_inputs(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
    const auto bytes = [](std::string_view text) {
        Bytes copy;
        core::put_bytes(copy, std::as_bytes(std::span(text)));
        return copy;
    };
    std::vector<std::pair<std::string, Bytes>> tries{
        {"nothing", {}},
        {"65,536 bytes of 0xff", Bytes(ISOTICK_LONGEST_INPUT, std::byte{0xff})},
        {"100,000 brackets", Bytes(100'000, std::byte{'['})},
    };
    for (const char* text : {"{", "null", "[]", "{}", "-1", "1e999", "\"\\ud800\"", "\"\xff\"",
                             "123456789012345678901234567890", "{\"a\":1,\"a\":2}"}) {
        tries.emplace_back(std::string(text) == "\"\xff\"" ? "text that is not UTF-8" : text,
                           bytes(text));
    }
    for (const Verb verb : {Verb::describe_input, Verb::compose_input}) {
        for (const auto& [words, body] : tries) {
            for (const std::uint32_t player : {std::uint32_t{0}, ISOTICK_WORLD, 1'000'000U}) {
                ISOTICK_TRY(told("of " + words + ", ", ask_about(client, verb, player, body)));
            }
        }
    }
    const Bytes too_long = about_player(0, Bytes(ISOTICK_LONGEST_INPUT + 1));
    ISOTICK_TRY(told("of 65,537 bytes, ",
                     client.ask_for(Verb::describe_input, too_long, {Status::failed})));
    ISOTICK_TRY(told("afterwards, ", client.ask(Verb::create, create_body(stage))));
    return {};
}

}  // namespace

std::vector<Check> input_checks() {
    constexpr std::uint64_t kBoth = bit_of(Verb::describe_input) | bit_of(Verb::compose_input);
    return {
        {.name = "propose",
         .expected = "proposes inputs that depend on entropy and state alone, and keeps its hashes",
         .advice = "draw from the entropy with a new generator in each call",
         .play = propose,
         .needs = bit_of(Verb::propose_input)},
        {.name = "describe",
         .expected = "composes each JSON description to an input with the same description",
         .advice = "fail where an input cannot be described, rather than describe it in part",
         .play = describes,
         .needs = kBoth},
        {.name = "hostile-inputs",
         .expected = "answers any request to describe or compose, and goes on",
         .advice = "these two verbs fail without consequences; they must not end the process",
         .play = hostile_inputs,
         .needs = kBoth},
    };
}

// How requests may come in, and that answers come out in order.

namespace {

using core::Bytes;
using core::Result;

constexpr std::uint64_t kManyTicks = 500;  // a step and a hash each

std::span<const TickInputs> first_ticks(const Stage& stage, std::size_t count) {
    return std::span(stage.script).first(std::min(count, stage.script.size()));
}

// Takes the answers to a step and a hash.
Result<Hashes> take_tick(Client& client, const Stage& stage, std::uint64_t tick) {
    const std::string at = "at tick " + std::to_string(tick) + ", ";
    ISOTICK_TRY(told(at, client.receive(Verb::step, {Status::ok})));
    ISOTICK_TRY_ASSIGN(const auto reply, told(at, client.receive(Verb::hash, {Status::ok})));
    return told(at, hashes_in(stage, reply.body));
}

// The hash after a tick of the script is what it was with one request at a time.
Result<void> as_before(const Stage& stage, std::uint64_t tick, const Hashes& hashes) {
    return stage.repeatable && tick + 1 < stage.hashes.size()
               ? expect_same(stage, stage.hashes[tick + 1], hashes,
                             "at tick " + std::to_string(tick))
               : Result<void>();
}

Result<void> take_ticks(Client& client, const Stage& stage, std::uint64_t count) {
    for (std::uint64_t tick = 0; tick < count; ++tick) {
        ISOTICK_TRY_ASSIGN(const auto hashes, take_tick(client, stage, tick));
        ISOTICK_TRY(as_before(stage, tick, hashes));
    }
    return {};
}

Result<void> batch(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    for (std::uint64_t tick = 0; tick < kManyTicks; ++tick) {
        client.queue(static_cast<std::uint8_t>(Verb::step),
                     step_body(stage, tick, stage.script[tick % stage.script.size()]));
        client.queue(static_cast<std::uint8_t>(Verb::hash), {});
    }
    return client.send().and_then([&] { return take_ticks(client, stage, kManyTicks); });
}

Result<void> pieces(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
    const std::pair<Verb, Bytes> start[] = {{Verb::hello, hello_body()},
                                            {Verb::create, create_body(stage)}};
    for (const auto& [verb, body] : start) {
        ISOTICK_TRY(client.send_in_pieces(request(verb, body)));
        ISOTICK_TRY(client.receive(verb, {Status::ok}));
    }
    const auto ticks = first_ticks(stage, 3);
    for (std::uint64_t tick = 0; tick < ticks.size(); ++tick) {
        Bytes both = request(Verb::step, step_body(stage, tick, ticks[tick]));
        core::put_bytes(both, request(Verb::hash, {}));
        ISOTICK_TRY(client.send_in_pieces(both));
    }
    return take_ticks(client, stage, ticks.size());
}

Bytes longer(Bytes body) {
    core::put_bytes(body, std::as_bytes(std::span(std::string_view("later"))));
    return body;
}

Result<void> appended(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
    ISOTICK_TRY(client.ask(Verb::hello, longer(hello_body())));
    ISOTICK_TRY(client.ask(Verb::create, longer(create_body(stage))));
    const auto ticks = first_ticks(stage, 3);
    for (std::uint64_t tick = 0; tick < ticks.size(); ++tick) {
        ISOTICK_TRY(client.ask(Verb::step, longer(step_body(stage, tick, ticks[tick]))));
        ISOTICK_TRY_ASSIGN(const auto answer, client.ask(Verb::hash, longer({})));
        ISOTICK_TRY_ASSIGN(const auto hashes, hashes_in(stage, answer));
        ISOTICK_TRY(as_before(stage, tick, hashes));
    }
    return {};
}

}  // namespace

std::vector<Check> message_checks() {
    return {
        {.name = "batch",
         .expected = "answers 1,000 requests that come at once, in their order",
         .advice = "read on after each request, and answer the oldest first",
         .play = batch},
        {.name = "pieces",
         .expected = "answers requests that come byte by byte",
         .advice = "read until a request is whole: a read may return less, or more",
         .play = pieces},
        {.name = "appended",
         .expected = "ignores what follows in a body that is longer than specified",
         .advice = "take the end of a request from its size, and skip what is left: later "
                   "versions append",
         .play = appended},
    };
}

}  // namespace isotick::harness::check
