// Serves the reference simulation that its argument names.

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/serve.hpp>

int main(int count, char** arguments) {
    const auto* const table =
        count == 2 ? isotick::core::find_reference_simulation(arguments[1]) : nullptr;
    return isotick::harness::serve_main(table);
}
