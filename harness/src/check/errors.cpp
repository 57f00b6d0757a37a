// Requests that nobody can carry out.

#include "client.hpp"

#include <isotick/core/detail/try.hpp>

#include <array>
#include <string_view>

namespace isotick::harness::check {
namespace {

using core::Bytes;
using core::Result;

std::string bytes_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

Result<void> unknown_verb(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::created(stage));
    ISOTICK_TRY_ASSIGN(const auto before, client.hash());
    for (const int verb : {0, 13, 63, 64, 255}) {
        const std::string what = "to verb " + std::to_string(verb);
        client.queue(static_cast<std::uint8_t>(verb), hello_body());
        const auto reply = client.receive(static_cast<Verb>(0xff));
        if (!reply) {
            return came(what + ", " + reply.error().message);
        }
        if (reply->status != Status::unknown_verb) {
            return came(what + " it answers with " + status_text(*reply));
        }
    }
    const auto after = client.hash();
    return after ? expect_same(stage, before, *after, "after verbs that it does not know")
                 : came("after verbs that it does not know, " + after.error().message);
}

Result<void> too_short(Stage& stage) {
    const Bytes hello = hello_body();
    const Bytes step = step_body(stage, 0, TickInputs(stage.players() + 1, Bytes(3, std::byte{1})));
    const Bytes create = create_body(stage);
    const auto cut = [](const Bytes& body, std::size_t size) {
        return Bytes(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
    };
    for (const std::size_t size : {std::size_t{0}, hello.size() - 1}) {
        ISOTICK_TRY(must_fail(Client::start(stage), Verb::hello, cut(hello, size),
                              "to a hello of " + bytes_text(size)));
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{19}, create.size() - 1}) {
        ISOTICK_TRY(must_fail(Client::greeted(stage), Verb::create, cut(create, size),
                              "to a create of " + bytes_text(size)));
    }
    for (const std::size_t size : {std::size_t{0}, std::size_t{35}, step.size() - 1}) {
        ISOTICK_TRY(must_fail(Client::created(stage), Verb::step, cut(step, size),
                              "to a step of " + bytes_text(size)));
    }
    return {};
}

// Counts of things that are not there: nobody may make room for them.
Result<void> false_counts(Stage& stage) {
    constexpr std::size_t kBeforeSettings = 20;
    constexpr std::size_t kBeforeInputs = 32;
    Bytes create = create_body(stage);
    core::store(create.data() + kBeforeSettings, UINT32_MAX);
    Bytes step = step_body(stage, 0, TickInputs(stage.players() + 1));
    core::store(step.data() + kBeforeInputs, UINT32_MAX);
    ISOTICK_TRY(must_fail(Client::greeted(stage), Verb::create, create,
                          "to a create with 4,294,967,295 settings"));
    return must_fail(Client::created(stage), Verb::step, step,
                     "to a step with 4,294,967,295 inputs");
}

Result<void> wrong_order(Stage& stage) {
    const Bytes create = create_body(stage);
    const Bytes step = step_body(stage, 0, stage.script[0]);
    ISOTICK_TRY(must_fail(Client::start(stage), Verb::create, create, "to create before hello"));
    ISOTICK_TRY(must_fail(Client::greeted(stage), Verb::step, step, "to step before create"));
    ISOTICK_TRY(must_fail(Client::greeted(stage), Verb::hash, {}, "to hash before create"));
    ISOTICK_TRY(must_fail(Client::created(stage), Verb::create, create, "to a second create"));
    return must_fail(Client::created(stage), Verb::hello, hello_body(), "to a second hello");
}

Result<void> wrong_hello(Stage& stage) {
    Bytes magic = hello_body();
    magic.front() ^= std::byte{1};
    ISOTICK_TRY(must_fail(Client::start(stage), Verb::hello, magic,
                          "to a hello that does not say isotick"));
    ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
    Bytes later = hello_body();
    core::store(later.data() + kHelloMagic.size(), kProtocolVersion + 1);
    const auto reply = client.ask_for(Verb::hello, later, {Status::ok, Status::failed});
    if (!reply) {
        return came("to a host of version 2: " + reply.error().message);
    }
    const bool says_one = core::ByteReader(reply->body).get<std::uint32_t>() == kProtocolVersion;
    return reply->status == Status::failed || says_one
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
    const std::pair<std::string_view, Bytes> tries[] = {
        {"to a config key that it does not know", create_body(stage, stage.players(), unknown)},
        {"to one player more than it takes", create_body(stage, most + 1, stage.options.config)},
        {"to a tick rate of 0/0", no_rate},
    };
    for (const auto& [what, body] : tries) {
        ISOTICK_TRY_ASSIGN(auto client, Client::greeted(stage));
        const auto reply =
            client.ask_for(Verb::create, body, {Status::ok, Status::failed, Status::bad_settings});
        if (!reply) {
            return came(std::string(what) + ": " + reply.error().message);
        }
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

}  // namespace isotick::harness::check
