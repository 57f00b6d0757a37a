// What a trial costs in which each tick is undone once and run again, against a bare loop that
// steps and hashes each tick.

#include "bare_loop.hpp"
#include "process.hpp"
#include "suite.hpp"

#include <isotick/core/detail/reference.hpp>

#include <stdexcept>

namespace isotick::bench {
namespace {

void measure_rollback(benchmark::UserCounters& counters, const Suite& suite) {
    const std::string path = suite.file("rollback.isotick");
    const std::uint64_t ticks = suite.sized(1800, 60);
    run(isotick_command({"record", "--sim", "skirmish", "--config", "units=2300", "--ticks",
                         std::to_string(ticks), "-o", path}));  // a state of 56 KB
    const auto& table = *core::find_reference_simulation("skirmish");
    const BareLoop loop(path);
    harness::TrialPlan plan;
    plan.recording = path;
    const BareTrial bare = loop.prepare(plan);
    for (const char* depth : {"8", "16"}) {
        plan.drive.axes = {{"rollback", depth}};
        std::vector<double> ratios;
        for (std::uint64_t round = 0; round < suite.sized(9, 1); ++round) {
            const double begin = own_cpu_seconds();
            benchmark::DoNotOptimize(loop.run(bare));
            const double between = own_cpu_seconds();
            harness::Progress progress;
            const auto result = harness::run_trial(plan, table, progress);
            const double end = own_cpu_seconds();
            if (result.verdict != harness::Verdict::identical ||
                result.statistics.ticks_undone != ticks) {
                throw std::runtime_error("the trial of skirmish does not undo each tick once");
            }
            ratios.push_back((end - between) / (between - begin));
        }
        counters[depth] = median(ratios);
    }
}

}  // namespace

void add_rollback_benchmarks(Suite& suite) {
    suite.add_once("rollback",
                   {{"8", "each tick undone once, up to 8 at a time: CPU time, of a bare loop's", 2,
                     at_most(2.2)},
                    {"16", "the same, up to 16 at a time", 2, at_most(2.2)}},
                   [&](benchmark::UserCounters& counters) { measure_rollback(counters, suite); });
}

}  // namespace isotick::bench
