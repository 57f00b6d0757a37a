#pragma once
// `isotick diff`.

#include "../options/options.hpp"

#include <string>

namespace isotick::program {

// `isotick diff` of two state dumps instead of two recordings.

struct DiffOptions : CommonOptions {
    std::string a;
    std::string b;
    bool digests = false;  ///< compare digests alone
    std::string fields;    ///< the same; empty: run nothing
    std::string simulation_a;
    std::string simulation_b;
};

/// Returns the exit code to end with.
[[nodiscard]] int run_state_diff(const DiffOptions& options, Console& console);

}  // namespace isotick::program
