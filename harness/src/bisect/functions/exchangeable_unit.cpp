#include "exchangeable_unit.hpp"

#include "../tools/first_names.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <iterator>

namespace isotick::harness::bisect {
namespace {

using core::Result;
using Names = std::vector<std::string>;

// A call to a function that another definition may replace assumes nothing of it: not what it is,
// and not which registers it leaves alone. Sections show who refers to whom.
constexpr std::array kReplaceable{"-fPIC", "-fvisibility=default", "-ffunction-sections",
                                  "-fdata-sections"};
// Only GCC knows the first, and only GCC needs the second: Clang looks at no registers, and would
// inline no inline function any more.
constexpr const char* kOfGcc = "-fno-ipa-ra";
constexpr const char* kForGcc = "-fsemantic-interposition";

Result<Way> replaceable(const CompileCommand& unit, const Way& way, const Compiler& compiler) {
    Names flags(kReplaceable.begin(), kReplaceable.end());
    ISOTICK_TRY_ASSIGN(const bool is_gcc, compiler.takes(unit, way, kOfGcc));
    if (is_gcc) {
        flags.insert(flags.end(), {kOfGcc, kForGcc});
    }
    return way.with(flags);
}

Names readable_names(const Names& symbols) {
    Names names;
    std::ranges::transform(symbols, std::back_inserter(names), readable_name);
    return names;
}

// All functions that are weak in an object anyway: the linker takes those of the first object.
std::string name_of_inline(const Names& functions) {
    constexpr std::size_t kMostNamed = 3;
    return "the inline functions " + first_names(readable_names(functions), kMostNamed);
}

Names in_both(const Names& a, const Names& b) {
    Names both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both;
}

}  // namespace

Result<ExchangeableUnit> ExchangeableUnit::make(const CompileCommand& unit, const Way& other,
                                                const Compiler& compiler,
                                                const std::string& folder) {
    ExchangeableUnit made;
    ISOTICK_TRY(made.compile(unit, other, compiler));
    if (!made.why_not_.empty()) {
        return made;
    }
    const std::string log = folder + "/symbols.log";
    ISOTICK_TRY_ASSIGN(const auto usual, symbols_of(made.usual_, log, compiler.limits()));
    ISOTICK_TRY_ASSIGN(const auto replaced, symbols_of(made.other_, log, compiler.limits()));
    made.compare(usual, replaced);
    return made;
}

Result<void> ExchangeableUnit::compile(const CompileCommand& unit, const Way& other,
                                       const Compiler& compiler) {
    for (const auto& [way, object] : {std::pair(Way(), &usual_), std::pair(other, &other_)}) {
        ISOTICK_TRY_ASSIGN(const auto calling, replaceable(unit, way, compiler));
        ISOTICK_TRY_ASSIGN(const auto compiled, compiler.compile(unit, calling));
        if (!compiled.failure.empty()) {
            why_not_ = "it does not compile with replaceable functions: the compiler " +
                       compiled.failure + " (log: " + compiled.log + ")";
        }
        *object = compiled.path;
    }
    return {};
}

void ExchangeableUnit::compare(const Symbols& usual, const Symbols& other) {
    if (!usual.own_variables.empty() || !other.own_variables.empty()) {
        const Names& own = usual.own_variables.empty() ? other.own_variables : usual.own_variables;
        why_not_ = "its functions share static data (" + readable_name(own.front()) +
                   "), of which each object would have its own";
        return;
    }
    functions_ = in_both(usual.functions, other.functions);
    only_other_yields_ = in_both(usual.variables, other.variables);
    reached_ = other.reached;
    names_ = readable_names(functions_);
    const Names weak = in_both(usual.weak_functions, other.weak_functions);
    if (!weak.empty()) {
        names_.push_back(name_of_inline(weak));
    }
    if (names_.empty()) {
        why_not_ = "it has no function that other units can call";
    }
}

Names ExchangeableUnit::reached_by(std::size_t member) const {
    const auto found =
        member < functions_.size() ? reached_.find(functions_[member]) : reached_.end();
    return found == reached_.end() ? Names() : readable_names(found->second);
}

Result<Names> ExchangeableUnit::write(const Members& members, const std::string& folder,
                                      const ToolLimits& limits) const {
    YieldingCopy usual{usual_, folder + "/usual.o"};
    YieldingCopy other{other_, folder + "/other.o", only_other_yields_, true};
    for (std::size_t i = 0; i < functions_.size(); ++i) {
        const bool is_other = std::ranges::binary_search(members, i);
        (is_other ? usual : other).weak.push_back(functions_[i]);
    }
    ISOTICK_TRY(make_folder(folder));
    ISOTICK_TRY(write_copy(usual, limits));
    ISOTICK_TRY(write_copy(other, limits));
    const bool other_first = std::ranges::binary_search(members, functions_.size());
    return other_first ? Names{other.copy, usual.copy} : Names{usual.copy, other.copy};
}

}  // namespace isotick::harness::bisect
