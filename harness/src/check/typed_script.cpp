#include "typed_script.hpp"

#include "../inputs/random_input.hpp"
#include "client.hpp"

#include <isotick/core/json.hpp>
#include <isotick/core/printable.hpp>

#include <utility>

namespace isotick::harness::check {
namespace {

using core::Bytes;

constexpr std::uint64_t kSeedOfInputs = 13;

/// Asks one process until an answer is wrong: then nothing more.
struct Describer {
    Client client;
    bool answers = true;

    std::optional<Bytes> ask(Verb verb, std::uint32_t player, std::span<const std::byte> rest) {
        Bytes body;
        core::put(body, player);
        core::put_bytes(body, rest);
        auto reply = answers ? client.ask_for(verb, body, {Status::ok, Status::failed})
                             : came("an end of answers");
        answers = reply.has_value();
        return reply && reply->status == Status::ok ? std::optional(std::move(reply->body))
                                                    : std::nullopt;
    }

    std::optional<std::string> describe(std::uint32_t player, std::span<const std::uint8_t> bytes) {
        const auto answer = ask(Verb::describe_input, player, std::as_bytes(bytes));
        if (!answer || answer->size() > ISOTICK_LONGEST_INPUT_TEXT) {
            return std::nullopt;
        }
        const std::string text(reinterpret_cast<const char*>(answer->data()), answer->size());
        return core::parse_json(text) ? std::optional(core::printable(core::compact_json(text)))
                                      : std::nullopt;
    }

    std::optional<std::vector<std::uint8_t>> compose(std::uint32_t player, std::string_view json) {
        const auto answer = ask(Verb::compose_input, player, std::as_bytes(std::span(json)));
        if (!answer || answer->size() > ISOTICK_LONGEST_INPUT) {
            return std::nullopt;
        }
        const auto* first = reinterpret_cast<const std::uint8_t*>(answer->data());
        return std::vector<std::uint8_t>(first, first + answer->size());
    }
};

}  // namespace

void add_typed_inputs(Stage& stage) {
    if (!stage.facts.answers(Verb::describe_input) || !stage.facts.answers(Verb::compose_input)) {
        return;
    }
    auto client = Client::greeted(stage);
    if (!client) {
        return;
    }
    Describer describer{*std::move(client)};
    std::vector<TickInputs> script = stage.script;
    for (std::uint32_t column = 0; column <= stage.players(); ++column) {
        const std::uint32_t player = column < stage.players() ? column : ISOTICK_WORLD;
        RandomInput random(
            kSeedOfInputs, player,
            InputWords{[&](std::span<const std::uint8_t> bytes) {
                           return describer.describe(player, bytes);
                       },
                       [&](std::string_view json) { return describer.compose(player, json); }});
        for (std::size_t tick = 1; random.has_examples() && tick < script.size(); tick += 2) {
            const isotick_input input = random.sample();
            const auto bytes = std::as_bytes(std::span(input.data, input.size));
            script[tick][column] = input.present != 0
                                       ? std::optional(Bytes(bytes.begin(), bytes.end()))
                                       : std::nullopt;
        }
    }
    if (describer.answers) {
        stage.script = std::move(script);
    }
}

}  // namespace isotick::harness::check
