#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/harness/detail/simulations/simulation_facts.hpp>

namespace isotick::harness {
namespace {

std::string text_or_nothing(const char* text) {
    return text == nullptr ? "" : text;
}

}  // namespace

SimulationFacts facts_of(const isotick_simulation_table& table) {
    const isotick_info& info = *table.info;
    return {
        .name = info.name,
        .summary = text_or_nothing(info.summary),
        .config_help = text_or_nothing(info.config_help),
        .build_id = text_or_nothing(info.build_id),
        .hash_algorithm = std::string(core::hash_algorithm(info)),
        .nan_policy = std::string(core::nan_policy(info)),
        .rate = core::preferred_rate(info),
        .least_players = info.least_players,
        .most_players = info.most_players,
        .usual_players = info.usual_players,
        .capabilities = info.capabilities,
        .has_bot = table.propose_input != nullptr,
        .calls = {.begin_frame = table.begin_frame != nullptr, .render = table.render != nullptr}};
}

}  // namespace isotick::harness
