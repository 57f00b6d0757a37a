// What only looks at the state must not change it: frames and fields.

#include "client.hpp"

#include <isotick/core/detail/fields/fields.hpp>
#include <isotick/core/detail/try.hpp>

#include <array>
#include <bit>
#include <limits>

namespace isotick::harness::check {
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
        Result<void> done;
        if (stage.repeatable) {
            done = expect_same(stage, stage.hashes[tick + 1], before,
                               "compared with a session without " + looks.front().words);
        }
        for (const Look& look : looks) {
            done = done.and_then([&] { return look_once(client, stage, look, before); });
        }
        if (!done) {
            return came("at tick " + std::to_string(tick) + ", " + done.error().message);
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
    };
}

}  // namespace isotick::harness::check
