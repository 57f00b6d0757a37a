#pragma once
// Which function of a unit changed the bits.

#include "compiler.hpp"
#include "culprits.hpp"
#include "symbols.hpp"
#include "unit_search.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

// A translation unit of which each function can be taken from either of two builds.

/// Both objects are linked: of each function that other units can call, one of the two definitions
/// is weak and yields. Source: Bentley et al., "Multi-Level Analysis of Compiler-Induced
/// Variability and Performance Tradeoffs", Symbol Bisect.
class ExchangeableUnit {
  public:
    /// Compiles `unit` both ways so that its functions call each other as other units do. Where
    /// that cannot be, why_not() says so. `folder` takes logs. Fails where nothing can be compiled.
    [[nodiscard]] static core::Result<ExchangeableUnit> make(const CompileCommand& unit,
                                                             const Way& other,
                                                             const Compiler& compiler,
                                                             const std::string& folder);

    /// In words; empty: it can.
    [[nodiscard]] const std::string& why_not() const { return why_not_; }

    /// The functions that can be exchanged, as their source names them.
    [[nodiscard]] const std::vector<std::string>& functions() const { return names_; }

    /// The static functions that go with the function number `member`: it calls or points to them.
    [[nodiscard]] std::vector<std::string> reached_by(std::size_t member) const;

    /// Writes the two objects, with `members` of functions() the other way, into `folder`.
    [[nodiscard]] core::Result<std::vector<std::string>> write(const Members& members,
                                                               const std::string& folder,
                                                               const ToolLimits& limits) const;

  private:
    [[nodiscard]] core::Result<void> compile(const CompileCommand& unit, const Way& other,
                                             const Compiler& compiler);
    void compare(const Symbols& usual, const Symbols& other);

    std::string why_not_;
    std::string usual_;  // objects
    std::string other_;
    std::vector<std::string> functions_;                       // symbols that both have
    std::map<std::string, std::vector<std::string>> reached_;  // static ones, by function
    std::vector<std::string> names_;              // of those, and what stands for all weak ones
    std::vector<std::string> only_other_yields_;  // symbols that are never taken from the other
};

// Which functions of a guilty unit make the difference.

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
