#include "command_line.hpp"

#include "options.hpp"
#include "sims_command.hpp"

#include <isotick/harness/version.hpp>

#include <exception>
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

namespace isotick::program {
namespace {

constexpr int kUsage = 2;
constexpr int kInternalFailure = 3;

/// The parser and the command that the user chose.
class CommandLine {
  public:
    CommandLine(const harness::SimulationCatalog& catalog, Console& console)
        : catalog_(catalog), console_(console) {
        app_.description(
            "Proves that a fixed-timestep simulation computes the same bits however "
            "it is driven.");
        app_.set_version_flag("--version", std::string("isotick ") + harness::kVersion);
        app_.require_subcommand(1);
        app_.footer(
            "Exit codes: 0 identical, 1 diverged or nondeterministic, 2 usage, 3 damaged "
            "or unreadable,\n4 inconclusive, 5 crashed or timed out.");
        add_sims();
        add_record();
        add_replay();
        add_verify();
        add_diff();
        add_inspect();
    }

    int run(int argument_count, const char* const* arguments) {
        try {
            app_.parse(argument_count, arguments);
        } catch (const CLI::ParseError& outcome) {
            return report(outcome);
        }
        return command_();
    }

  private:
    int report(const CLI::ParseError& outcome) {
        if (outcome.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            std::ostringstream text;
            app_.exit(outcome, text, text);
            console_.print(text.str());
            return 0;
        }
        console_.error(std::string(outcome.what()) + " (see isotick --help)");
        return kUsage;
    }

    template <class Options>
    CLI::App* add(const char* name, const char* description, const char* example,
                  std::shared_ptr<Options> options, int (*command)(const Options&, Console&)) {
        CLI::App* app = app_.add_subcommand(name, description);
        app->footer(std::string("Example:\n  ") + example);
        app->add_flag("--json", options->json, "Print the result as JSON");
        app->callback([this, options, command] {
            command_ = [this, options, command] { return command(*options, console_); };
        });
        return app;
    }

    static void add_simulation(CLI::App* app, CommonOptions& options, const char* description) {
        app->add_option("--sim", options.simulation, description);
        app->add_option("--environment", options.environment,
                        "KEY=VALUE for the simulation that is not part of the session; repeatable")
            ->take_all()
            ->expected(1);
    }

    static void add_worker(CLI::App* app, WorkerText& worker, bool many) {
        app->add_option("--timeout", worker.timeout_seconds,
                        "Seconds without progress after which a trial is timed out; 0: never")
            ->capture_default_str();
        app->add_option("--memory-limit", worker.memory_limit_mib,
                        "MiB of memory per trial; 0: no limit")
            ->capture_default_str();
        if (many) {
            app->add_option("--jobs", worker.jobs, "Trials at a time; 0: one per processor")
                ->capture_default_str();
        }
    }

    static void add_host(CLI::App* app, CommonOptions& options, const char* schedule) {
        app->add_option("--schedule", options.schedule, schedule);
        app->add_option("--longest-frame", options.loop.longest_frame,
                        "A longer frame is cut to this; or none")
            ->capture_default_str();
        app->add_option("--most-ticks", options.loop.most_ticks,
                        "Ticks per frame at most; 0: no limit")
            ->capture_default_str();
        app->add_option("--time-scale", options.loop.time_scale,
                        "Simulated time per frame time: 1/4, 0.25, 34.7712371%")
            ->capture_default_str();
        app->add_option("--start-phase", options.loop.start_phase,
                        "How much of the first tick has passed already, 0 to 1")
            ->capture_default_str();
    }

    void add_sims() {
        auto options = std::make_shared<SimsOptions>();
        CLI::App* app = app_.add_subcommand("sims", "List the simulations, or describe one");
        app->footer("Example:\n  isotick sims --sim skirmish");
        app->add_flag("--json", options->json, "Print the result as JSON");
        app->add_option("--sim", options->simulation, "A built-in, or the path of a plug-in");
        app->callback([this, options] {
            command_ = [this, options] { return run_sims_command(*options, catalog_, console_); };
        });
    }

    void add_record() {
        auto options = std::make_shared<RecordOptions>();
        CLI::App* app = add("record", "Record a session: inputs and hashes",
                            "isotick record --sim skirmish --ticks 3600 -o s.isotick", options,
                            run_record_command);
        add_simulation(app, *options, "A built-in, or the path of a plug-in");
        app->get_option("--sim")->required();
        app->add_option("-o,--output", options->output, "The recording to write")->required();
        app->add_flag("--force", options->force, "Replace a recording that exists");
        add_session(app, *options);
        app->add_option("--inputs", options->inputs,
                        "Where inputs come from: bot, random (from the seed) or none")
            ->capture_default_str();
        app->add_option("--hash-every", options->hash_every, "Store a hash every so many ticks")
            ->capture_default_str()
            ->check(CLI::Range(1U, 1'000'000'000U));
        app->add_option("--parts-every", options->parts_every,
                        "Store the parts' hashes every so many ticks")
            ->capture_default_str()
            ->check(CLI::Range(1U, 1'000'000'000U));
        app->add_option("--note", options->notes, "KEY=VALUE to keep in the head; repeatable")
            ->take_all()
            ->expected(1);
        add_host(app, *options, "Frame times of the live session; nominal by default");
        add_worker(app, options->worker, false);
    }

    static void add_session(CLI::App* app, RecordOptions& options) {
        app->add_option("--ticks", options.ticks, "How long the session is")->capture_default_str();
        app->add_option("--seed", options.seed, "The session's seed, decimal or 0x…")
            ->capture_default_str();
        app->add_option("--config", options.config,
                        "KEY=VALUE of the session; see isotick sims --sim NAME; repeatable")
            ->take_all()
            ->expected(1);
        app->add_option("--players", options.players, "Players; as the simulation likes it best");
        app->add_option("--rate", options.rate, "Ticks per second: 60hz, 60000/1001hz");
    }

    void add_replay() {
        auto options = std::make_shared<ReplayOptions>();
        CLI::App* app = add("replay", "Replay a recording once and compare its hashes",
                            "isotick replay s.isotick --schedule '100x16.667ms, 1x101.4ms'",
                            options, run_replay_command);
        app->add_option("recording", options->recording, "The recording")->required();
        add_simulation(app, *options, "Instead of the simulation the recording names");
        app->add_option("--until", options->until, "The last tick to replay");
        add_host(app, *options, "Frame times; nominal by default");
        add_frames(app, options->most_frames);
        add_worker(app, options->worker, false);
    }

    static void add_frames(CLI::App* app, std::uint64_t& most_frames) {
        app->add_option("--most-frames", most_frames,
                        "Frames per trial at most; 0: 1000 per tick and a million")
            ->capture_default_str();
    }

    void add_verify() {
        auto options = std::make_shared<VerifyCommandOptions>();
        CLI::App* app = add("verify", "Replay recordings under many schedules: one verdict",
                            "isotick verify s.isotick --trials 200", options, run_verify_command);
        app->add_option("recordings", options->recordings, "The recordings")->required();
        add_simulation(app, *options, "Instead of the simulation the recordings name");
        app->add_option("--trials", options->trials, "Trials per recording, the nominal included")
            ->capture_default_str();
        app->add_option("--seed", options->seed,
                        "Root of the trials' seeds: a number, or random; by default the session's");
        add_host(app, *options, "This schedule, after the nominal, instead of random ones");
        add_frames(app, options->most_frames);
        add_worker(app, options->worker, true);
    }

    void add_diff() {
        auto options = std::make_shared<DiffOptions>();
        CLI::App* app = add("diff", "Compare two recordings without running anything",
                            "isotick diff before.isotick after.isotick", options, run_diff_command);
        app->add_option("a", options->a, "One recording")->required();
        app->add_option("b", options->b, "The other")->required();
    }

    void add_inspect() {
        auto options = std::make_shared<InspectOptions>();
        CLI::App* app = add("inspect", "Say what a recording holds and whether it is intact",
                            "isotick inspect s.isotick", options, run_inspect_command);
        app->add_option("recording", options->recording, "The recording")->required();
    }

    const harness::SimulationCatalog& catalog_;
    Console& console_;
    CLI::App app_;
    std::function<int()> command_;
};

}  // namespace

int run_program(int argument_count, const char* const* arguments,
                harness::SimulationCatalog& catalog) {
    Console console;
    try {
        int code = CommandLine(catalog, console).run(argument_count, arguments);
        if (auto flushed = console.flush(); !flushed) {
            code = fail_with(flushed.error(), console);
        }
        return code;
    } catch (const std::exception& thrown) {
        console.error(std::string("this should not happen: ") + thrown.what());
        return kInternalFailure;
    }
}

}  // namespace isotick::program
