// One of the piles as a plug-in: the one whose name is ISOTICK_PILE.

#include "piles.hpp"

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    return isotick::core::find_simulation(ISOTICK_PILE);
}
