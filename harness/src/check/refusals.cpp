// What makes no sense and must not reach a simulation.

#include "client.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>

#include <bit>
#include <limits>
#include <string_view>

namespace isotick::harness::check {
namespace {

using core::Bytes;
using core::Result;

Result<void> step_inputs(Stage& stage) {
    const std::uint32_t players = stage.players();
    for (const std::uint32_t count : {0U, players, players + 2}) {
        ISOTICK_TRY(must_fail(Client::created(stage), Verb::step,
                              step_body(stage, 0, TickInputs(count)),
                              "to a step with " + std::to_string(count) + " inputs for " +
                                  std::to_string(players) + " players and the world"));
    }
    const TickInputs too_long(players + 1, Bytes(ISOTICK_LONGEST_INPUT + 1));
    return must_fail(Client::created(stage), Verb::step, step_body(stage, 0, too_long),
                     "to a step with inputs of 65,537 bytes");
}

Result<void> step_times(Stage& stage) {
    constexpr std::size_t kSecondsAt = 8;
    constexpr std::size_t kFractionAt = 16;
    const Bytes step = step_body(stage, 0, stage.script[0]);
    const auto with = [&step](std::size_t at, std::uint64_t value) {
        Bytes changed = step;
        core::store(changed.data() + at, value);
        return changed;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Bytes without_denominator = with(kFractionAt, 1);
    core::store(without_denominator.data() + kFractionAt + sizeof(std::uint64_t), std::uint64_t{0});
    std::vector<std::pair<std::string_view, Bytes>> tries{
        {"to a step of tick 5 where tick 0 is next", with(0, 5)},
        {"to a step with a dt that is not a number",
         with(kSecondsAt, std::bit_cast<std::uint64_t>(nan))},
        {"to a step with a dt of -1 s", with(kSecondsAt, std::bit_cast<std::uint64_t>(-1.0))},
        {"to a step with a dt of 1/0 s", without_denominator},
    };
    if ((stage.facts.info.capabilities & ISOTICK_CHANGING_DT) == 0) {
        tries.emplace_back("to a step with a dt of 2 s, which changes",
                           with(kSecondsAt, std::bit_cast<std::uint64_t>(2.0)));
    }
    for (const auto& [what, body] : tries) {
        ISOTICK_TRY(must_fail(Client::created(stage), Verb::step, body, std::string(what)));
    }
    return {};
}

Result<void> alphas(Stage& stage) {
    for (const double alpha : {1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
        ISOTICK_TRY(must_fail(Client::created(stage), Verb::render,
                              number_body(std::bit_cast<std::uint64_t>(alpha)),
                              "to render of alpha " + std::to_string(alpha)));
    }
    return {};
}

Result<void> no_player(Stage& stage) {
    for (const std::uint32_t player : {stage.players(), ISOTICK_WORLD - 1}) {
        Bytes body = number_body(player);
        core::put(body, std::uint64_t{0});  // the tick
        core::put(body, std::uint64_t{0});  // the entropy
        ISOTICK_TRY(must_fail(Client::created(stage), Verb::propose_input, body,
                              "to propose_input for player " + std::to_string(player)));
    }
    return {};
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
