// What the ways into isotick cost: a plug-in against the same simulation linked in, in rounds so
// that what else the machine does disturbs both alike; and a process, at its best.

#include "process.hpp"
#include "suite.hpp"

#include <algorithm>

namespace isotick::bench {
namespace {

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void measure_plugin(benchmark::UserCounters& counters, const Suite& suite) {
    const std::string path = suite.file("plugin.isotick");
    run(isotick_command({"record", "--sim", "skirmish", "--config", "units=1000", "--ticks",
                         std::to_string(suite.sized(3600, 100)), "-o", path}));
    const Words verify = isotick_command({"verify", path, "--schedule", "60hz", "--trials",
                                          std::to_string(suite.sized(20, 2)), "--jobs", "1"});
    std::vector<double> ratios;
    for (std::uint64_t round = 0; round < suite.sized(9, 1); ++round) {
        const double linked = run(verify).cpu_seconds;
        const double plugin = run(with(verify, {"--sim", ISOTICK_SKIRMISH})).cpu_seconds;
        ratios.push_back(plugin / linked);
    }
    counters["ratio"] = median(ratios);
}

// A tick is begin_frame, step, hash and render.
double ticks_per_second(const Suite& suite, const std::string& command, std::uint64_t ticks) {
    const std::string path = suite.file("process.isotick");
    const Words sim{"--sim", "exec:" + command};
    run(with(isotick_command({"record", "--inputs", "none", "--ticks", std::to_string(ticks),
                              "--force", "-o", path}),
             sim));
    double best = 0;
    for (std::uint64_t round = 0; round < suite.sized(5, 1); ++round) {
        const Cost cost = run(with(isotick_command({"replay", path}), sim));
        best = std::max(best, static_cast<double>(ticks) / cost.wall_seconds);
    }
    return best;
}

}  // namespace

void add_ways_in_benchmarks(Suite& suite) {
    suite.add_once("plugin",
                   {{"ratio", "verify of skirmish as a plug-in: CPU time, of that linked in", 3,
                     at_most(1.1)}},
                   [&](benchmark::UserCounters& counters) { measure_plugin(counters, suite); });
    suite.add_once("process",
                   {{"C++", "a trivial C++ simulation as a process, best ticks/s of a replay", 0,
                     at_least(400'000)}},
                   [&](benchmark::UserCounters& counters) {
                       counters["C++"] =
                           ticks_per_second(suite, ISOTICK_PROGRAM " serve --sim " ISOTICK_TRIVIAL,
                                            suite.sized(400'000, 500));
                   });
#if defined(ISOTICK_TRIVIAL_PYTHON)
    suite.add_once(
        "python",
        {{"Python", "a trivial Python simulation as a process, the same", 0, at_least(20'000)}},
        [&](benchmark::UserCounters& counters) {
            counters["Python"] =
                ticks_per_second(suite, ISOTICK_TRIVIAL_PYTHON, suite.sized(60'000, 200));
        });
#endif
}

}  // namespace isotick::bench
