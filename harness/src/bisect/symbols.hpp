#pragma once
// The symbols of object files, and a few names out of many.

#include "tool.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/result.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

// Lists of names in sentences, cut where they are long.

/// `a, b, c and 4 more`, with `most` names.
[[nodiscard]] inline std::string first_names(std::vector<std::string> names, std::size_t most) {
    const std::size_t rest = names.size() - std::min(names.size(), most);
    names.resize(names.size() - rest);
    return core::joined(names) + (rest == 0 ? "" : " and " + std::to_string(rest) + " more");
}

// What an object file defines, and copies of it in which other definitions yield.

/// What an object file defines, by the names that a linker sees.
struct Symbols {
    std::vector<std::string> functions{};       ///< of which a program has one
    std::vector<std::string> weak_functions{};  ///< of which the first counts: inline functions
    std::vector<std::string> variables{};       ///< seen by other object files
    std::vector<std::string> own_variables{};   ///< static ones that can change
    /// For each of `functions` the static functions that it calls or points to, through others and
    /// tables too. With sections for each of both: -ffunction-sections -fdata-sections.
    std::map<std::string, std::vector<std::string>> reached{};
};

/// Reads what `objdump -t -r` prints. Each list is sorted.
[[nodiscard]] Symbols parse_symbols(const std::string& table);

/// As objdump sees it. Fails with `usage` where there is no objdump.
[[nodiscard]] core::Result<Symbols> symbols_of(const std::string& object, const std::string& log,
                                               const ToolLimits& limits);

/// A copy of an object file.
struct YieldingCopy {
    std::string object;                 ///< of which
    std::string copy;                   ///< where to
    std::vector<std::string> weak{};    ///< what yields to definitions elsewhere
    bool without_constructors = false;  ///< of static objects: another copy runs them
};

/// Fails where objcopy does.
[[nodiscard]] core::Result<void> write_copy(const YieldingCopy& copy, const ToolLimits& limits);

/// As its source names it, where that is C++.
[[nodiscard]] std::string readable_name(const std::string& symbol);

}  // namespace isotick::harness::bisect
