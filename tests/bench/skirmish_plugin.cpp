// The built-in skirmish as a plug-in, to be compared with itself linked in.

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/plugin.h>

extern "C" ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry() {
    return isotick::core::find_reference_simulation("skirmish");
}
