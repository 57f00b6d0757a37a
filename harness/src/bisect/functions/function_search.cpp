#include "function_search.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace isotick::harness::bisect {
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
