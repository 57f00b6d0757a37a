#pragma once
// Which functions of a guilty unit make the difference.

#include "../units/mixtures.hpp"
#include "exchangeable_unit.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <vector>

namespace isotick::harness::bisect {

/// A guilty unit, and what it is linked with.
struct FunctionQuestion {
    const CompileCommand& unit;
    std::size_t number;                       ///< of the unit among the linker's
    const std::vector<UnitObjects>& objects;  ///< of all units, the usual way
    const Way& other;
};

/// Fills in the functions of `culprit`, or why they are not known.
[[nodiscard]] core::Result<void> find_functions(const FunctionQuestion& question,
                                                const Compiler& compiler, Mixtures& mixtures,
                                                const Judge& judge, UnitCulprit& culprit);

}  // namespace isotick::harness::bisect
