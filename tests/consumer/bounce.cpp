#include "bounce.hpp"

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    return &isotick::core::simulation_table<Bounce>();
}
