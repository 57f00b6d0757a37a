// What a trial that begins in the middle costs beyond its ticks.

#include "process.hpp"
#include "suite.hpp"

#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/verify.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace isotick::bench {
namespace {

constexpr std::uint64_t kShort = 100;
constexpr std::uint64_t kLong = 400;

/// A session, and bursts on the way of its nominal replay.
class Session {
  public:
    Session(std::string path, std::uint64_t ticks, std::uint64_t bursts)
        : path_(std::move(path)), apart_(ticks / (bursts + 1)), bursts_(bursts) {
        run(isotick_command(
            {"record", "--sim", "skirmish", "--ticks", std::to_string(ticks), "-o", path_}));
    }

    /// The CPU milliseconds of a burst beyond its ticks: those of short ones, less what the further
    /// ticks of long ones say that as many ticks take.
    [[nodiscard]] double burst_ms() const {
        const double alone = cpu_ms(0);
        const double few_ticks = (cpu_ms(kShort) - alone) / static_cast<double>(bursts_);
        const double many_ticks = (cpu_ms(kLong) - alone) / static_cast<double>(bursts_);
        const double tick = (many_ticks - few_ticks) / static_cast<double>(kLong - kShort);
        return few_ticks - tick * static_cast<double>(kShort);
    }

  private:
    [[nodiscard]] harness::TrialPlan plan(const std::string& frames) const {
        harness::TrialPlan plan;
        plan.recording = path_;
        plan.drive.schedule = core::Schedule::parse(frames).value();
        return plan;
    }

    // Of the nominal replay, and of bursts of so many ticks; 0: of none.
    [[nodiscard]] double cpu_ms(std::uint64_t ticks) const {
        harness::LedTrials trials{plan("nominal"), {}, true};
        for (std::uint64_t number = 1; ticks > 0 && number <= bursts_; ++number) {
            const std::uint64_t frame = number * apart_;
            harness::TrialPlan burst =
                plan(std::to_string(frame) + "xnominal, mix(seed=" + std::to_string(number) + ")");
            burst.most_steps = frame + ticks;
            trials.bursts.push_back({frame, std::move(burst)});
        }
        harness::WorkerOptions options;
        options.executable = ISOTICK_PROGRAM;
        options.jobs = 1;
        const auto results = harness::bursts_in_worker_processes(
            harness::SimulationName::chosen("skirmish"), options)({&trials, 1}, std::nullopt);
        if (!results || !results->front().lead ||
            results->front().lead->verdict != harness::Verdict::identical) {
            throw std::runtime_error("a trial of skirmish is not identical");
        }
        for (const auto& burst : results->front().bursts) {
            if (!burst || burst->result.verdict != harness::Verdict::identical) {
                throw std::runtime_error("a burst of skirmish is not identical");
            }
        }
        return static_cast<double>(results->front().cpu_ns) / 1e6;
    }

    std::string path_;
    std::uint64_t apart_;
    std::uint64_t bursts_;
};

void measure_bursts(benchmark::UserCounters& counters, const Suite& suite) {
    const Session session(suite.file("bursts.isotick"), suite.sized(18'000, 2500),
                          suite.sized(200, 4));
    std::vector<double> costs;
    for (std::uint64_t round = 0; round < suite.sized(9, 1); ++round) {
        costs.push_back(session.burst_ms());
    }
    counters["ms"] = median(costs);
}

}  // namespace

void add_burst_benchmarks(Suite& suite) {
    suite.add_once(
        "burst",
        {{"ms", "a trial that begins in the middle: CPU ms beyond its ticks", 2, at_most(1)}},
        [&](benchmark::UserCounters& counters) { measure_bursts(counters, suite); });
}

}  // namespace isotick::bench
