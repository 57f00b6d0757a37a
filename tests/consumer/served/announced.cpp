// A program with a main of its own around isotick::harness::serve_main.

#include "../bounce.hpp"

#include <isotick/harness/serve.hpp>

#include <cstdio>

int main() {
    const isotick_simulation_table& bounce = isotick::core::simulation_table<Bounce>();
    std::fprintf(stderr, "serving %s\n", bounce.info->name);
    return isotick::harness::serve_main(&bounce);
}
