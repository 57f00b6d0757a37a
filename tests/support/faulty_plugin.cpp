// The simulation with planted faults as a plug-in.

#include "faulty.hpp"

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    return &isotick::core::simulation_table<isotick::tests::Faulty>();
}
