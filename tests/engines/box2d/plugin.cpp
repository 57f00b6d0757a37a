#include "../support/engine_simulation.hpp"
#include "world.hpp"

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    using isotick::engines::EngineSimulation;
    return &isotick::core::simulation_table<EngineSimulation<isotick::engines::box2d::World>>();
}
