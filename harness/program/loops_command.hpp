#pragma once
// `isotick loops`.

#include "console.hpp"

#include <string>

#include <CLI/CLI.hpp>

namespace isotick::program {

struct LoopsOptions {
    std::string loop;  ///< the one to describe; empty: list all
    bool json = false;
};

/// `options` must outlive `app`.
void add_loops_options(CLI::App& app, LoopsOptions& options);

/// Lists the loops, or describes one.
[[nodiscard]] int run_loops_command(const LoopsOptions& options, Console& console);

}  // namespace isotick::program
