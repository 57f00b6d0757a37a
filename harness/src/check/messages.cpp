// How requests may come in, and that answers come out in order.

#include "client.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness::check {
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
    for (const Verb verb : {Verb::step, Verb::hash}) {
        const auto reply = client.receive(verb);
        if (!reply) {
            return came(at + reply.error().message);
        }
        if (reply->status != Status::ok) {
            return came(at + to_verb(verb) + " it answers with " + status_text(*reply));
        }
        if (verb == Verb::hash) {
            auto hashes = hashes_in(stage, reply->body);
            return hashes ? hashes : came(at + hashes.error().message);
        }
    }
    return Hashes();
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

Bytes request(Verb verb, std::span<const std::byte> body) {
    Bytes bytes;
    const Message message(bytes, verb);
    core::put_bytes(bytes, body);
    return bytes;
}

Result<void> pieces(Stage& stage) {
    ISOTICK_TRY_ASSIGN(auto client, Client::start(stage));
    const std::pair<Verb, Bytes> start[] = {{Verb::hello, hello_body()},
                                            {Verb::create, create_body(stage)}};
    for (const auto& [verb, body] : start) {
        ISOTICK_TRY(client.send_in_pieces(request(verb, body)));
        ISOTICK_TRY_ASSIGN(const auto reply, client.receive(verb));
        if (reply.status != Status::ok) {
            return came(to_verb(verb) + " it answers with " + status_text(reply));
        }
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
