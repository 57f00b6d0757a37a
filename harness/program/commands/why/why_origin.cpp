#include "why_origin.hpp"

#include "../../output/interrupt.hpp"
#include "../../output/text.hpp"
#include "../bisect/build/build_text.hpp"
#include "../bisect/commits/commits_text.hpp"

#include <isotick/core/detail/try.hpp>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::bisect::CommitFacts;
using harness::bisect::FunctionCulprit;
using harness::bisect::Regression;
using harness::bisect::UnitCulprit;

constexpr std::size_t kShownHash = 10;

// `1705218e05 Let wounded units rest, of 2023-11-14T22:13:37+00:00: tick 40, units[*].health`
std::string commit_text(const Regression& regression) {
    std::vector<std::string> commits;
    for (const CommitFacts& commit : regression.found) {
        commits.push_back(fmt::format("{} {}, of {}", commit.hash.substr(0, kShownHash),
                                      commit.subject, commit.author_date));
    }
    const auto& signature = regression.change.signature;
    return fmt::format("{}{}{}", commits.size() > 1 ? "one of " : "", joined(commits),
                       signature ? ": " + to_string(*signature) : "");
}

// `world.c, in step_world: tick 12, cells[*].value`
std::string file_text(const UnitCulprit& culprit) {
    std::vector<std::string> functions;
    for (const FunctionCulprit& one : culprit.functions) {
        functions.push_back(joined(one.functions));
    }
    const auto& signature = culprit.judgement.signature;
    return joined(culprit.files) + (functions.empty() ? "" : ", in " + joined(functions)) +
           (signature ? ": " + to_string(*signature) : "");
}

}  // namespace

core::Result<void> add_commit(Origin& origin, const CommitsOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto plan, bisect_plan(options, console));
    plan.on_visit = [&console](const harness::bisect::Visit& visit) {
        console.remark(visit_text(visit));
    };
    plan.stop = stop_when_interrupted();
    ISOTICK_TRY_ASSIGN(const auto report, harness::bisect::bisect(plan));
    for (const Regression& regression : report.regressions) {
        origin.findings.push_back({"commit", commit_text(regression)});
    }
    CommitsOptions shared = options;
    shared.environment = shared_environment(options);
    origin.details += commits_text(report, shared);
    return {};
}

core::Result<void> add_files(Origin& origin, const BuildOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto plan, build_plan(options, console));
    plan.on_mixture = [&console](const harness::bisect::Mixed& mixed) {
        console.remark(mixture_text(mixed));
    };
    plan.limits.stop = stop_when_interrupted();
    ISOTICK_TRY_ASSIGN(const auto report, harness::bisect::bisect_build(plan));
    for (const UnitCulprit& culprit : report.culprits) {
        origin.findings.push_back({"file", file_text(culprit)});
    }
    BuildOptions shared = options;
    shared.environment = shared_environment(options);
    origin.details += build_text(report, shared, console);
    return {};
}

}  // namespace isotick::program
