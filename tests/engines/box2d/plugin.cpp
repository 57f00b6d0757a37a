#include "pile.hpp"

#include <isotick/core/adapter.hpp>

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    return &isotick::core::simulation_table<isotick::engines::Pile>();
}
