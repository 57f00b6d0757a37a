// isotick::serve: the one simulation that a program links, served on its stdin and stdout.

#include <isotick/harness/serve.hpp>

// What a plug-in exports too: core/adapter.hpp's ISOTICK_SIMULATION defines it.
extern "C" const isotick_simulation_table* isotick_simulation_entry(void);

int main() {
    return isotick::harness::serve_main(isotick_simulation_entry());
}
