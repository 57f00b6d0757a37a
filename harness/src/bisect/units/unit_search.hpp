#pragma once
// Finds the translation units, and the functions in them, that come to other bits when they are
// built another way.

#include "../compile/compiler.hpp"
#include "../judge/judge.hpp"
#include "../tools/linker.hpp"
#include "build_report.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

struct BuildPlan {
    std::string compile_commands;       ///< a JSON compilation database: the usual way
    std::vector<std::string> patterns;  ///< of the units; empty: all
    Way other{};                        ///< the other way
    std::string link;                   ///< a command; empty: a plug-in of all units
    std::string simulation;             ///< with `{out}`, which is what is linked
    std::string work;                   ///< a folder that exists, for this build alone
    std::size_t jobs = 0;               ///< compilers at a time; 0: as many as processors
    bool functions = true;              ///< look for functions, too
    ToolLimits limits{};
    JudgeOptions judge{};
    std::function<void(const Mixed&)> on_mixture{};  ///< called with each that was tried
};

/// Builds both ways. Both ends are checked first: the usual way must come to the recorded hashes,
/// or becomes the reference; where all the other way comes to the same, there is nothing to find.
/// Fails with `usage` where the usual way does not build, or the other way cannot be judged.
[[nodiscard]] core::Result<BuildReport> bisect_build(const BuildPlan& plan);

}  // namespace isotick::harness::bisect
