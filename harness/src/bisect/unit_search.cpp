#include "unit_search.hpp"

#include "../system/command.hpp"
#include "bisect.hpp"
#include "culprits.hpp"
#include "function_search.hpp"
#include "judge.hpp"
#include "range_search.hpp"
#include "tool.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/result.hpp>

#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace isotick::harness::bisect {

using core::Result;

Effect effect_of(const Mixed& mixed) {
    if (!mixed.failure.empty()) {
        return Effect::unknown;
    }
    switch (mixed.judgement.finding) {
        case Finding::identical:
            return Effect::none;
        case Finding::diverged:
            return Effect::differs;
        case Finding::nondeterministic:
        case Finding::crashed:
        case Finding::not_loading:
        case Finding::another_simulation:
        case Finding::not_comparable:
            break;
    }
    return Effect::unknown;
}

Result<Mixed> Mixtures::link(const std::vector<UnitObjects>& objects, std::string what) {
    if (limits_.stop && limits_.stop()) {
        return interrupted();
    }
    const std::string folder = next_folder();
    ++links_;
    ISOTICK_TRY_ASSIGN(auto linked, linker_.link(objects, folder, limits_));
    Mixed mixed;
    mixed.what = std::move(what);
    mixed.failure = std::move(linked.failure);
    mixed.log = std::move(linked.log);
    mixed.simulation = std::move(linked.simulation);
    return mixed;
}

Result<Mixed> Mixtures::judge(const std::vector<UnitObjects>& objects, std::string what,
                              const Judge& judge) {
    ISOTICK_TRY_ASSIGN(auto mixed, link(objects, std::move(what)));
    if (mixed.failure.empty()) {
        ISOTICK_TRY_ASSIGN(mixed.judgement, judge.judge(SimulationName::chosen(mixed.simulation)));
    }
    if (on_mixture_) {
        on_mixture_(mixed);
    }
    return mixed;
}

// What builds are held against: a recording, or its session as the usual build plays it.

struct Reference {
    Judge judge;
    bool recorded_again = false;  ///< the recorded hashes are those of another build
};

/// `usual` is the build that is right. Where it does not come to the recorded hashes it plays the
/// recorded inputs again, and its hashes are kept in the file `again`. Fails with `usage` where it
/// cannot play the session the same way twice.
[[nodiscard]] core::Result<Reference> find_reference(const JudgeOptions& options,
                                                     const SimulationName& usual,
                                                     const std::string& again);

namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> unusable(const Judgement& judgement) {
    return core::fail(ErrorCode::usage,
                      std::string("the usual build cannot be the reference: it ") +
                          to_string(judgement.finding) + (judgement.reason.empty() ? "" : ": ") +
                          judgement.reason);
}

}  // namespace

Result<Reference> find_reference(const JudgeOptions& options, const SimulationName& usual,
                                 const std::string& again) {
    JudgeOptions against = options;
    ISOTICK_TRY_ASSIGN(const auto recorded, Judge::make(options));
    ISOTICK_TRY_ASSIGN(const auto judgement, recorded.judge(usual));
    const bool differs = judgement.finding == Finding::diverged;
    if (!differs && judgement.finding != Finding::identical) {
        return unusable(judgement);
    }
    if (differs) {
        ISOTICK_TRY(record_reference(options, usual, again));
        against.recording = again;
        ISOTICK_TRY_ASSIGN(const auto own, Judge::make(against));
        ISOTICK_TRY_ASSIGN(const auto repeated, own.judge(usual));
        if (repeated.finding != Finding::identical) {
            return unusable(repeated);
        }
    }
    against.good = usual;
    return Judge::make(std::move(against)).map([&](Judge&& judge) {
        return Reference{std::move(judge), differs};
    });
}

namespace {

using core::ErrorCode;
using core::Result;

/// The object files of one unit.
struct BothWays {
    Object usual;
    Object other;
};

tl::unexpected<core::Error> failed_search(const std::string& what, const std::string& why,
                                          const std::string& log) {
    return core::fail(ErrorCode::usage, what + ": " + why + " (log: " + log + ")");
}

class UnitSearch {
  public:
    UnitSearch(const BuildPlan& plan, const Linker& linker)
        : plan_(plan),
          linker_(linker),
          compiler_(plan.work, plan.limits),
          mixtures_(linker, plan.limits, plan.work + "/mixtures", plan.on_mixture) {}

    Result<BuildReport> run() {
        report_.units = linker_.units().size();
        ISOTICK_TRY(compile());
        ISOTICK_TRY(check_ends());
        if (report_.other.judgement.finding == Finding::diverged) {
            ISOTICK_TRY(search());
        }
        report_.unit_links = mixtures_.links();
        if (plan_.functions) {
            ISOTICK_TRY(search_functions());
        }
        report_.function_links = mixtures_.links() - report_.unit_links;
        return std::move(report_);
    }

  private:
    Result<void> compile() {
        objects_.resize(report_.units);
        ISOTICK_TRY(in_parallel(2 * report_.units, plan_.jobs, [this](std::size_t i) {
            BothWays& both = objects_[i / 2];
            const bool is_other = i % 2 == 1;
            return compiler_.compile(linker_.units()[i / 2], is_other ? plan_.other : Way())
                .map([&](Object&& object) {
                    (is_other ? both.other : both.usual) = std::move(object);
                });
        }));
        for (std::size_t i = 0; i < report_.units; ++i) {
            ISOTICK_TRY(take(i));
        }
        return report_.left_out.size() < report_.units
                   ? Result<void>()
                   : failed_search("no unit compiles the other way",
                                   report_.left_out.front().file + ": the compiler " +
                                       report_.left_out.front().reason,
                                   report_.left_out.front().log);
    }

    Result<void> take(std::size_t number) {
        const BothWays& both = objects_[number];
        const std::string& file = linker_.units()[number].file;
        if (!both.usual.failure.empty()) {
            return failed_search(file + " does not compile the usual way",
                                 "the compiler " + both.usual.failure, both.usual.log);
        }
        if (!both.other.failure.empty()) {
            report_.left_out.push_back({file, both.other.failure, both.other.log});
        } else if (both.usual.digest != both.other.digest) {
            differing_.push_back(number);
        }
        for (const Object* object : {&both.usual, &both.other}) {
            ++(object->from_cache ? report_.from_cache : report_.compiled);
        }
        report_.differing = differing_.size();
        return {};
    }

    // Of each unit, with those of `members`, numbers in differing_, the other way.
    std::vector<UnitObjects> objects_with(const Members& members) const {
        std::vector<UnitObjects> paths;
        for (const BothWays& both : objects_) {
            paths.push_back({both.usual.path});
        }
        for (const std::size_t member : members) {
            paths[differing_[member]] = {objects_[differing_[member]].other.path};
        }
        return paths;
    }

    Result<Mixed> judge(const Members& members) {
        return mixtures_.judge(
            objects_with(members),
            std::to_string(members.size()) + " of " + std::to_string(differing_.size()) + " units",
            reference_->judge);
    }

    Result<void> check_ends() {
        ISOTICK_TRY_ASSIGN(const auto usual, mixtures_.link(objects_with({}), "the usual way"));
        if (!usual.failure.empty()) {
            return failed_search("the usual build does not link", "the command " + usual.failure,
                                 usual.log);
        }
        ISOTICK_TRY_ASSIGN(reference_,
                           find_reference(plan_.judge, SimulationName::chosen(usual.simulation),
                                          plan_.work + "/reference.isotick"));
        report_.recorded_again = reference_->recorded_again;
        if (differing_.empty()) {
            return {};
        }
        Members all(differing_.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        ISOTICK_TRY_ASSIGN(report_.other, judge(all));
        const Mixed& other = report_.other;
        if (effect_of(other) != Effect::unknown) {
            return {};
        }
        return other.failure.empty()
                   ? core::fail(ErrorCode::usage, std::string("the other build ") +
                                                      to_string(other.judgement.finding) + ": " +
                                                      other.judgement.reason)
                   : failed_search("the other build does not link", "the command " + other.failure,
                                   other.log);
    }

    Result<void> search() {
        std::map<Members, Mixed> tried;
        const auto mixture = [&](const Members& members) -> Result<Effect> {
            ISOTICK_TRY_ASSIGN(auto mixed, judge(members));
            const Effect effect = effect_of(mixed);
            tried[members] = std::move(mixed);
            return effect;
        };
        ISOTICK_TRY_ASSIGN(const auto culprits, find_culprits(differing_.size(), mixture));
        report_.rest_unknown = culprits.rest_unknown;
        Members together;
        for (const Members& members : culprits.found) {
            const auto known = tried.find(members);
            add(members, known == tried.end() ? report_.other.judgement : known->second.judgement);
            together.insert(together.end(), members.begin(), members.end());
        }
        std::ranges::sort(together);
        if (culprits.found.size() > 1 && together.size() < differing_.size()) {
            ISOTICK_TRY_ASSIGN(report_.together, judge(together));
        }
        return {};
    }

    void add(const Members& members, const Judgement& judgement) {
        UnitCulprit culprit;
        culprit.judgement = judgement;
        numbers_.emplace_back();
        for (const std::size_t member : members) {
            numbers_.back().push_back(differing_[member]);
            culprit.files.push_back(linker_.units()[differing_[member]].file);
        }
        report_.culprits.push_back(std::move(culprit));
    }

    Result<void> search_functions() {
        const auto objects = objects_with({});
        for (std::size_t i = 0; i < report_.culprits.size(); ++i) {
            UnitCulprit& culprit = report_.culprits[i];
            if (numbers_[i].size() > 1) {
                culprit.functions_unknown = "these units only differ together";
                continue;
            }
            const std::size_t unit = numbers_[i].front();
            const FunctionQuestion question{linker_.units()[unit], unit, objects, plan_.other};
            ISOTICK_TRY(find_functions(question, compiler_, mixtures_, reference_->judge, culprit));
        }
        return {};
    }

    const BuildPlan& plan_;
    const Linker& linker_;
    Compiler compiler_;
    Mixtures mixtures_;
    std::vector<BothWays> objects_;  // of each unit
    Members differing_;              // units whose object files differ
    std::vector<Members> numbers_;   // the units of each culprit
    std::optional<Reference> reference_;
    BuildReport report_;
};

}  // namespace

Result<BuildReport> bisect_build(const BuildPlan& plan) {
    ISOTICK_TRY_ASSIGN(const auto lock, FolderLock::take(plan.work));
    ISOTICK_TRY_ASSIGN(auto units, read_compile_commands(plan.compile_commands));
    ISOTICK_TRY_ASSIGN(units, chosen_units(std::move(units), plan.patterns));
    const std::string folder = units.front().folder;
    ISOTICK_TRY_ASSIGN(const auto linker,
                       Linker::make({plan.link, plan.simulation, folder}, units));
    std::error_code ignored;
    std::filesystem::remove_all(plan.work + "/mixtures", ignored);
    return UnitSearch(plan, linker).run();
}

}  // namespace isotick::harness::bisect
