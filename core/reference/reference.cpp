#include "pile/faults.hpp"
#include "pile/pile.hpp"
#include "skirmish/skirmish.hpp"
#include "spring.hpp"
#include "variants.hpp"

#include <isotick/core/adapter.hpp>
#include <isotick/core/reference.hpp>

#include <algorithm>
#include <array>

namespace isotick::core {

std::span<const isotick_simulation_table* const> reference_simulations() {
    using namespace reference;
    static const std::array kTables{
        &simulation_table<AlphaSkirmish<true>>(),
        &simulation_table<FrameTimeSkirmish<true>>(),
        &simulation_table<LongFrameSkirmish<true>>(),
        &simulation_table<RenderRandomSkirmish<true>>(),
        &simulation_table<SlowMotionPile<Blind::hash_and_save>>(),
        &simulation_table<SlowMotionPile<Blind::save>>(),
        &simulation_table<PaddingPile>(),
        &simulation_table<StaleCachePile>(),
        &simulation_table<Pile>(),
        &simulation_table<Skirmish>(),
        &simulation_table<Spring>(),
        &simulation_table<AlphaSkirmish<false>>(),
        &simulation_table<FrameTimeSkirmish<false>>(),
        &simulation_table<LongFrameSkirmish<false>>(),
        &simulation_table<RenderRandomSkirmish<false>>(),
    };
    return kTables;
}

const isotick_simulation_table* find_reference_simulation(std::string_view name) {
    const auto tables = reference_simulations();
    const auto place = std::find_if(tables.begin(), tables.end(),
                                    [&](const auto* table) { return table->info->name == name; });
    return place == tables.end() ? nullptr : *place;
}

}  // namespace isotick::core
