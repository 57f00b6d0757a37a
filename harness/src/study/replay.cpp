#include "cause.hpp"
#include "confirmation.hpp"
#include "explain.hpp"
#include "later_parts.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/replay.hpp>
#include <isotick/replay/reader.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

core::Error about(const std::string& recording, core::Error error) {
    if (error.file.empty()) {
        error.file = recording;
    }
    return error;
}

// A trial that was asked for is not shrunk, so that nothing simpler was tried.
Result<void> find_side_effect(ReplayReport& report, const TrialRunner& run) {
    Explanation& known = *report.explanation;
    if (report.result.verdict != Verdict::diverged || known.provoking_axes.size() != 1) {
        return {};
    }
    return find_side_effect(report.plan, report.result, run)
        .map([&known](std::optional<FoundCause>&& found) {
            if (found) {
                known.provoking_axes = std::move(found->axes);
                known.evidence = found->evidence;
                known.reads.clear();
            }
        });
}

}  // namespace

Result<void> look_into_divergence(ReplayReport& report, const TrialRunner& run,
                                  const ExplainOptions& how, std::string_view where) {
    return confirm(report.plan, report.result, run, how, {.nominal = nullptr, .where = where})
        .and_then([&](const Confirmation& confirmed) {
            return explain(report.plan, report.result, confirmed, run, how);
        })
        .and_then([&](Explanation&& explanation) {
            report.explanation = std::move(explanation);
            return find_side_effect(report, run);
        })
        .and_then(
            [&] { return find_later_parts(report.plan, report.result, run, *report.explanation); });
}

Result<ReplayReport> replay(const std::string& recording, const isotick_simulation_table& table,
                            const ReplayOptions& options) {
    ISOTICK_TRY(core::check_table(&table));
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    ReplayReport report;
    report.head = reader.head();
    report.ticks = reader.indexed_ticks();
    report.plan.recording = recording;
    report.plan.environment = options.environment;
    report.plan.drive.schedule = options.schedule;
    report.plan.drive.loop = options.loop;
    const TrialRunner run = in_this_process(table);
    Progress progress;
    report.result = run_trial(report.plan, table, progress);
    if (report.result.refused) {
        return tl::unexpected(about(recording, *report.result.refused));
    }
    if (!report.result.divergence) {
        return report;
    }
    const ExplainOptions how{options.most_fields, nullptr, recorded_schedule(report.head.notes)};
    return look_into_divergence(report, run, how, "run again in this process").map([&report] {
        return std::move(report);
    });
}

Result<ReplayReport> replay(const std::string& recording, const SimulationName& simulation,
                            const ReplayOptions& options) {
    const auto built_in = core::reference_simulations();
    SimulationCatalog catalog({built_in.begin(), built_in.end()});
    const auto table = catalog.open(simulation);
    return table ? replay(recording, **table, options)
                 : tl::unexpected(about(recording, table.error()));
}

}  // namespace isotick::harness
