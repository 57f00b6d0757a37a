// isotick::main: the command line over the one simulation that a program links.

#include "command/command_line.hpp"

// What a plug-in exports too: core/adapter.hpp's ISOTICK_SIMULATION defines it.
extern "C" const isotick_simulation_table* isotick_simulation_entry(void);

int main(int argc, char** argv) {
    const isotick_simulation_table* const only = isotick_simulation_entry();
    return isotick::program::run_program(argc, argv, {&only, 1});
}
