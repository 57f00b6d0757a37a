// What running a peer's course as a trial adds to the steps, hashes and snapshots that the course
// asks of the simulation.

#include "peers/session_inputs.hpp"
#include "process.hpp"
#include "suite.hpp"
#include "value_or_throw.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/detail/session_course.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/reader.hpp>

#include <map>
#include <stdexcept>

namespace isotick::bench {
namespace {

void apply(const harness::GuessedInput& guess, std::vector<isotick_input>& inputs) {
    isotick_input& input = guess.player == ISOTICK_WORLD ? inputs.back() : inputs.at(guess.player);
    input = {guess.player, 0, 0, nullptr};
    if (guess.bytes) {
        input = {guess.player, 1, guess.bytes->size(), guess.bytes->data()};
    }
}

/// A session of peers, and each of its courses as bare calls and as a trial.
class PeerSession {
  public:
    PeerSession(std::string path, const std::string& plan, std::uint64_t ticks)
        : path_(std::move(path)),
          inputs_(
              (run(isotick_command({"record", "--sim", "skirmish", "--players", "4", "--config",
                                    "units=500", "--ticks", std::to_string(ticks), "-o", path_})),
               value_or_throw(harness::SessionInputs::read(path_, ticks)))),
          head_(value_or_throw(replay::Reader::open(path_)).head()),
          session_(value_or_throw(harness::compute_session(
              value_or_throw(harness::parse_lockstep_plan(plan)), inputs_, {}))) {
        for (const harness::PeerRun& peer : session_.runs) {
            value_or_throw(harness::write_course(path_ + std::to_string(peer.peer), peer.course));
        }
    }

    /// The hash behind each peer's course, by bare calls.
    void run_bare() {
        for (const harness::PeerRun& peer : session_.runs) {
            last_.push_back(run_bare(peer.course));
        }
    }

    /// Throws unless each trial comes to what the bare calls came to.
    void run_trials() {
        for (std::size_t i = 0; i < session_.runs.size(); ++i) {
            harness::TrialPlan plan;
            plan.recording = path_;
            plan.course.emplace().path = path_ + std::to_string(session_.runs[i].peer);
            harness::Progress progress;
            const auto result = harness::run_trial(plan, table_, progress);
            if (result.verdict != harness::Verdict::identical || result.last_hash != last_[i]) {
                throw std::runtime_error("a peer is not what its bare loop is");
            }
        }
        last_.clear();
    }

  private:
    core::StateHash run_bare(const harness::Course& course) {
        auto simulation =
            value_or_throw(core::Simulation::create(table_, harness::setup_of(head_, {})));
        core::StateHash last = value_or_throw(simulation.hash());
        std::uint64_t tick = 0;
        std::size_t step = 0;
        auto guess = course.guesses.begin();
        std::vector<isotick_input> inputs;
        for (const harness::CourseFrame& frame : course.frames) {
            value_or_throw(simulation.begin_frame(frame.frame_time));
            if (frame.back > 0) {
                tick -= frame.back;
                value_or_throw(simulation.load(saved_[tick % saved_.size()]));
            }
            for (std::uint32_t i = 0; i < frame.steps; ++i, ++step, ++tick) {
                if (course.steps[step].saves) {
                    value_or_throw(simulation.save_into(saved_[tick % saved_.size()]));
                }
                const auto agreed = inputs_.of(core::Tick{tick});
                inputs.assign(agreed.begin(), agreed.end());
                for (; guess != course.guesses.end() && guess->step == step; ++guess) {
                    apply(*guess, inputs);
                }
                value_or_throw(simulation.step(core::Tick{tick}, inputs));
                if (course.steps[step].final) {
                    last = value_or_throw(simulation.hash());
                }
            }
            value_or_throw(simulation.render(frame.alpha));
        }
        return last;
    }

    std::string path_;
    const isotick_simulation_table& table_ = *core::find_reference_simulation("skirmish");
    harness::SessionInputs inputs_;
    replay::RecordingHead head_;
    harness::SessionCourse session_;
    std::vector<std::vector<std::byte>> saved_ = std::vector<std::vector<std::byte>>(64);
    std::vector<core::StateHash> last_;
};

double ratio(const Suite& suite, const std::string& mode) {
    const std::string plan = mode + "; 4 peers; network awful; seed 1";
    PeerSession session(suite.file("peers-" + mode), plan, suite.sized(3600, 120));
    std::vector<double> ratios;
    for (std::uint64_t round = 0; round < suite.sized(7, 1); ++round) {
        const double begin = own_cpu_seconds();
        session.run_bare();
        const double between = own_cpu_seconds();
        session.run_trials();
        ratios.push_back((own_cpu_seconds() - between) / (between - begin));
    }
    return median(ratios);
}

}  // namespace

void add_peer_benchmarks(Suite& suite) {
    suite.add_once(
        "peers",
        {{"lockstep", "4 peers of skirmish: CPU time, of its steps and hashes", 3, at_most(1.15)},
         {"rollback", "the same with rollback, and of its snapshots", 3, at_most(1.15)}},
        [&](benchmark::UserCounters& counters) {
            counters["lockstep"] = ratio(suite, "lockstep");
            counters["rollback"] = ratio(suite, "rollback");
        });
}

}  // namespace isotick::bench
