#pragma once
// `isotick bisect build`.

#include "../../src/bisect/unit_search.hpp"
#include "../output/console.hpp"
#include "bisect_options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace isotick::program {

// The options of `isotick bisect build`, and what they mean.

struct BuildOptions : JudgingText {
    std::string compile_commands = "compile_commands.json";
    std::string other;
    std::string link;
    std::vector<std::string> units;
    bool units_only = false;
    std::string work;
    double build_timeout_seconds = 600;
    std::uint64_t build_memory_mib = 0;
};

void declare_build(OptionList& list, BuildOptions& options);

/// Makes the folder to work in where it is not there yet.
[[nodiscard]] core::Result<harness::bisect::BuildPlan> build_plan(const BuildOptions& options,
                                                                  Console& console);

/// The command line that does the same again.
[[nodiscard]] std::string again(const BuildOptions& options);

// What two ways to build a simulation came to, for people.

[[nodiscard]] std::string build_text(const harness::bisect::BuildReport& report,
                                     const BuildOptions& options, const Console& console);

/// `3 of 20 units: diverged at tick 4, units[*].x`, while the search goes on.
[[nodiscard]] std::string mixture_text(const harness::bisect::Mixed& mixed);

}  // namespace isotick::program
