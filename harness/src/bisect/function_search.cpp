#include "function_search.hpp"

#include "symbols.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

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

namespace {

using core::Result;

FunctionCulprit culprit_of(const ExchangeableUnit& unit, const Members& members,
                           const Judgement& judgement) {
    FunctionCulprit culprit;
    culprit.judgement = judgement;
    for (const std::size_t member : members) {
        culprit.functions.push_back(unit.functions()[member]);
        std::ranges::copy(unit.reached_by(member), std::back_inserter(culprit.reached));
    }
    std::ranges::sort(culprit.reached);
    const auto twice = std::ranges::unique(culprit.reached);
    culprit.reached.erase(twice.begin(), twice.end());
    return culprit;
}

class FunctionSearch {
  public:
    FunctionSearch(const FunctionQuestion& question, const ExchangeableUnit& unit,
                   Mixtures& mixtures, const Judge& judge)
        : question_(question), unit_(unit), mixtures_(mixtures), judge_(judge) {}

    Result<void> run(UnitCulprit& culprit) {
        const std::size_t count = unit_.functions().size();
        Members all(count);
        std::iota(all.begin(), all.end(), std::size_t{0});
        ISOTICK_TRY_ASSIGN(const auto none_other, try_members({}));
        ISOTICK_TRY_ASSIGN(const auto all_other, try_members(all));
        if (none_other != Effect::none || all_other != Effect::differs) {
            culprit.functions_unknown = describe(none_other, all_other);
            return {};
        }
        ISOTICK_TRY_ASSIGN(const auto found, find_culprits(count, [this](const Members& members) {
                               return try_members(members);
                           }));
        for (const Members& members : found.found) {
            culprit.functions.push_back(culprit_of(unit_, members, judgements_[members]));
        }
        return {};
    }

  private:
    static std::string describe(Effect none_other, Effect all_other) {
        if (none_other == Effect::unknown || all_other == Effect::unknown) {
            return "with its functions made replaceable it cannot be judged";
        }
        return none_other == Effect::differs
                   ? "with its functions made replaceable it differs the usual way too"
                   : "with its functions made replaceable it makes no difference: that comes of "
                     "what the compiler does across functions";
    }

    Result<Effect> try_members(const Members& members) {
        std::vector<UnitObjects> objects = question_.objects;
        ISOTICK_TRY_ASSIGN(objects[question_.number],
                           unit_.write(members, mixtures_.next_folder(), mixtures_.limits()));
        ISOTICK_TRY_ASSIGN(auto mixed, mixtures_.judge(objects, words_for(members), judge_));
        const Effect effect = effect_of(mixed);
        judgements_[members] = std::move(mixed.judgement);
        return effect;
    }

    std::string words_for(const Members& members) const {
        return std::to_string(members.size()) + " of " + std::to_string(unit_.functions().size()) +
               " functions of " + std::filesystem::path(question_.unit.file).filename().string();
    }

    const FunctionQuestion& question_;
    const ExchangeableUnit& unit_;
    Mixtures& mixtures_;
    const Judge& judge_;
    std::map<Members, Judgement> judgements_;
};

}  // namespace

Result<void> find_functions(const FunctionQuestion& question, const Compiler& compiler,
                            Mixtures& mixtures, const Judge& judge, UnitCulprit& culprit) {
    const std::string folder = mixtures.next_folder();
    ISOTICK_TRY(make_folder(folder));
    ISOTICK_TRY_ASSIGN(const auto unit,
                       ExchangeableUnit::make(question.unit, question.other, compiler, folder));
    if (!unit.why_not().empty()) {
        culprit.functions_unknown = unit.why_not();
        return {};
    }
    if (unit.functions().size() == 1) {
        culprit.functions.push_back(culprit_of(unit, {0}, culprit.judgement));
        return {};
    }
    return FunctionSearch(question, unit, mixtures, judge).run(culprit);
}

}  // namespace isotick::harness::bisect
