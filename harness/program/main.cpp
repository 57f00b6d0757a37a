// The program `isotick`: the command line over the built-in simulations and plug-ins.

#include "command/command_line.hpp"

#include <isotick/core/detail/reference.hpp>

int main(int argc, char** argv) {
    return isotick::program::run_program(argc, argv, isotick::core::reference_simulations());
}
