// What verify adds to the simulation's own work. Everything is measured in rounds (bare loop, one
// job, two of each), so that what else the machine does disturbs all of them alike.

#include "bare_loop.hpp"
#include "process.hpp"
#include "suite.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <stdexcept>

namespace isotick::bench {
namespace {

/// A recorded session, and all trials that `verify --trials` runs of it.
class Bout {
  public:
    Bout(const std::string& path, std::uint64_t ticks, std::uint64_t trials)
        : path_(path), trials_(trials) {
        run(isotick_command({"record", "--sim", "skirmish", "--config", "units=1000", "--ticks",
                             std::to_string(ticks), "-o", path}));
        loop_.emplace(path);
        for (std::uint64_t number = 0; number < trials; ++number) {
            harness::TrialPlan plan =
                harness::plan_trial(path, number, loop_->session_digest().low,
                                    loop_->session_digest(), loop_->head().session.rate, options());
            prepared_.push_back(loop_->prepare(plan));
            if (number == 0) {
                plan.inputs = harness::without_inputs();
                prepared_.push_back(loop_->prepare(plan));
            }
        }
    }

    /// Throws unless the bare loop does as much as verify says it does.
    void check() const {
        const auto& table = *core::find_reference_simulation("skirmish");
        const auto report = harness::verify(path_, options(), harness::in_this_process(table));
        BareWork all;
        for (const BareTrial& trial : prepared_) {
            const BareWork work = trial.without_inputs ? BareWork() : loop_->run(trial);
            all.ticks += work.ticks;
            all.frames += work.frames;
        }
        if (!report || report->trials_identical != trials_ || report->total.ticks != all.ticks ||
            report->total.frames != all.frames) {
            throw std::runtime_error("verify and the bare loop do different work");
        }
    }

    [[nodiscard]] Cost run_bare() const {
        const double cpu = own_cpu_seconds();
        const double wall = wall_seconds();
        run_each(0, 1);
        return {own_cpu_seconds() - cpu, wall_seconds() - wall, 0};
    }

    /// The wall time of two bare loops at a time, each with every other trial.
    [[nodiscard]] double wall_of_two_bare() const {
        return wall_of_both([this] { run_each(0, 2); }, [this] { run_each(1, 2); });
    }

    [[nodiscard]] Cost run_verify(int jobs) const {
        return run(isotick_command({"verify", path_, "--trials", std::to_string(trials_), "--jobs",
                                    std::to_string(jobs)}));
    }

  private:
    void run_each(std::size_t first, std::size_t step) const {
        for (std::size_t i = first; i < prepared_.size(); i += step) {
            benchmark::DoNotOptimize(loop_->run(prepared_[i]));
        }
    }

    [[nodiscard]] harness::VerifyOptions options() const {
        harness::VerifyOptions options;
        options.trials = trials_;
        return options;
    }

    std::string path_;
    std::uint64_t trials_;
    std::optional<BareLoop> loop_;
    std::vector<BareTrial> prepared_;
};

constexpr double kNever = 1e9;

// What keeps one processor busy takes its CPU time on a machine that does nothing else.
double undisturbed(const Cost& cost) {
    return std::min(cost.wall_seconds, cost.cpu_seconds);
}

void measure_verify(benchmark::UserCounters& counters, const Suite& suite) {
    const Bout bout(suite.file("verify.isotick"), suite.sized(3600, 300), suite.sized(50, 5));
    bout.check();
    std::vector<double> efficiency;
    double bare_best = kNever;
    double one_best = kNever;
    double two_bare_best = kNever;
    double two_best = kNever;
    for (std::uint64_t round = 0; round < suite.sized(7, 1); ++round) {
        const Cost bare = bout.run_bare();
        const Cost one = bout.run_verify(1);
        efficiency.push_back(bare.cpu_seconds / one.cpu_seconds);
        bare_best = std::min(bare_best, undisturbed(bare));
        one_best = std::min(one_best, undisturbed(one));
        two_bare_best = std::min(two_bare_best, bout.wall_of_two_bare());
        two_best = std::min(two_best, bout.run_verify(2).wall_seconds);
    }
    counters["efficiency"] = median(efficiency);
    counters["two jobs"] = two_best / one_best;
    counters["two bare"] = two_bare_best / bare_best;
}

// Trials of so few ticks that almost all there is to them is starting and ending them.
void measure_trial(benchmark::UserCounters& counters, const Suite& suite) {
    constexpr std::uint64_t kTicks = 16;
    const std::uint64_t trials = suite.sized(500, 10);
    const Bout bout(suite.file("trial.isotick"), kTicks, trials);
    const double runs = static_cast<double>(trials) + 1;  // and the one without inputs
    std::vector<double> cpu_ms;
    std::vector<double> wall_ms;
    for (std::uint64_t round = 0; round < suite.sized(7, 1); ++round) {
        const Cost bare = bout.run_bare();
        const Cost verify = bout.run_verify(1);
        cpu_ms.push_back(1e3 * (verify.cpu_seconds - bare.cpu_seconds) / runs);
        wall_ms.push_back(1e3 * (verify.wall_seconds - bare.wall_seconds) / runs);
    }
    counters["cpu"] = median(cpu_ms);
    counters["wall"] = median(wall_ms);
}

// A simulation that does next to nothing, so that what a trial adds to each tick shows.
void measure_tick(benchmark::UserCounters& counters, const Suite& suite) {
    const std::string path = suite.file("tick.isotick");
    const std::uint64_t ticks = suite.sized(200'000, 1000);
    run(isotick_command(
        {"record", "--sim", "spring", "--ticks", std::to_string(ticks), "-o", path}));
    harness::TrialPlan plan;
    plan.recording = path;
    const BareLoop loop(path);
    const BareTrial bare = loop.prepare(plan);
    const auto& table = *core::find_reference_simulation("spring");
    std::vector<double> added_ns;
    for (std::uint64_t round = 0; round < suite.sized(15, 1); ++round) {
        const double begin = own_cpu_seconds();
        benchmark::DoNotOptimize(loop.run(bare));
        const double between = own_cpu_seconds();
        harness::Progress progress;
        const auto result = harness::run_trial(plan, table, progress);
        const double end = own_cpu_seconds();
        if (result.verdict != harness::Verdict::identical || result.statistics.ticks != ticks) {
            throw std::runtime_error("the trial of spring is not identical");
        }
        added_ns.push_back(1e9 * ((end - between) - (between - begin)) /
                           static_cast<double>(ticks));
    }
    counters["ns"] = median(added_ns);
}

}  // namespace

void add_verify_benchmarks(Suite& suite) {
    suite.add_once(
        "verify",
        {{"efficiency", "verify of skirmish: ticks per CPU second, of a bare loop's", 3,
          at_least(0.9)},
         {"two jobs", "the same, best wall time with two jobs, of that with one", 3, at_most(0.6)},
         {"two bare", "two bare loops at once, of one: what this machine allows now", 3}},
        [&](benchmark::UserCounters& counters) { measure_verify(counters, suite); });
    suite.add_once("trial",
                   {{"cpu", "a trial of 16 ticks beyond its ticks, ms of CPU time", 2, at_most(2)},
                    {"wall", "the same, ms of wall time", 2, at_most(2)}},
                   [&](benchmark::UserCounters& counters) { measure_trial(counters, suite); });
    suite.add_once("tick",
                   {{"ns", "a tick and its frame beyond the simulation's own calls, ns", 0}},
                   [&](benchmark::UserCounters& counters) { measure_tick(counters, suite); });
}

}  // namespace isotick::bench
