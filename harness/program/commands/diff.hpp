#pragma once
// `isotick diff`.

#include "../options/options.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/replay/compare.hpp>

#include <optional>
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

/// Where exactly the states of two recordings part, and in which fields, by running both; none
/// where no fields are asked for, or where a run here does not reproduce its recorded hash.
[[nodiscard]] core::Result<std::optional<harness::Explanation>> first_difference(
    const DiffOptions& options, const replay::Comparison& comparison, Console& console);

/// Returns the exit code to end with.
[[nodiscard]] int run_state_diff(const DiffOptions& options, Console& console);

}  // namespace isotick::program
