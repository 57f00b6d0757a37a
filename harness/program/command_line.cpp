#include "command_line.hpp"

#include "command_words.hpp"
#include "loops_command.hpp"
#include "minimize_command.hpp"
#include "option_groups.hpp"
#include "option_style.hpp"
#include "options.hpp"
#include "program_name.hpp"
#include "serve_command.hpp"
#include "sims_command.hpp"
#include "text_commands.hpp"

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/version.hpp>
#include <isotick/harness/detail/worker.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include <CLI/CLI.hpp>

namespace isotick::program {
namespace {

constexpr int kUsage = 2;
constexpr int kInternalFailure = 3;
constexpr std::uint64_t kMostStride = 1'000'000'000;

/// The parser and the command that the user chose.
class CommandLine {
  public:
    CommandLine(ProgramName name, harness::SimulationCatalog& catalog, Console& console)
        : name_(std::move(name)), catalog_(catalog), console_(console) {
        app_.description(
            "Proves that a fixed-timestep simulation computes the same bits however "
            "it is driven.");
        app_.name(name_.shown);
        app_.require_subcommand(0, 1);
        app_.formatter(std::make_shared<HelpFormatter>());
        app_.set_help_flag("-h,--help", "Show this help");
        app_.set_version_flag("-V,--version", std::string("isotick ") + harness::kVersion,
                              "Show the version");
        app_.footer(in_own_words(kFooter));
        add_sims();
        add_loops();
        add_record();
        add_replay();
        add_verify();
        add_minimize();
        add_diff();
        add_inspect();
        add_repair();
        add_export();
        add_import();
        add_audit();
        add_serve();
    }

    int run(std::vector<std::string> arguments) {
        arguments = help_as_option(std::move(arguments));
        if (const auto why = no_command(app_, arguments)) {
            return refuse(*why, app_);
        }
        std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
        try {
            app_.parse(std::move(arguments));
        } catch (const CLI::ParseError& outcome) {
            return report(outcome);
        }
        return command_ ? command_() : refuse(*no_command(app_, {}), app_);
    }

  private:
    // The only simulation there is; empty where there are several.
    [[nodiscard]] std::string only_simulation() const {
        const auto tables = catalog_.built_in();
        return tables.size() == 1 ? tables.front()->info->name : "";
    }

    [[nodiscard]] std::string in_own_words(std::string text) const {
        return program::in_own_words(std::move(text), name_, !only_simulation().empty());
    }

    int refuse(const std::string& why, const CLI::App& app) {
        const std::string command = &app == &app_ ? "" : app.get_name() + " ";
        console_.error(why + " (see " + name_.shown + " " + command + "--help)");
        return kUsage;
    }

    int report(const CLI::ParseError& outcome) {
        if (outcome.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            std::ostringstream text;
            app_.exit(outcome, text, text);
            console_.print(text.str().ends_with('\n') ? text.str() : text.str() + "\n");
            return 0;
        }
        const auto chosen = app_.get_subcommands();
        const CLI::App& app = chosen.empty() ? app_ : *chosen.front();
        return refuse(in_our_words(outcome, app), app);
    }

    // `command` takes the options and the console.
    template <class Options, class Command>
    CLI::App* add(const char* name, const char* description, const char* example,
                  std::shared_ptr<Options> options, Command command) {
        CLI::App* app = app_.add_subcommand(name, description)->group("Commands");
        app->footer(in_own_words(std::string("Example:\n  ") + example));
        options->program = name_.typed;
        app->add_flag("--json", options->json, "Print the result as JSON");
        app->callback([this, options, command] {
            command_ = [this, options, command] { return command(*options, console_); };
        });
        return app;
    }

    void add_sims() {
        auto options = std::make_shared<SimsOptions>();
        CLI::App* app = app_.add_subcommand("sims", "List the simulations, describe or check one");
        app->group("Commands")
            ->footer(in_own_words("Example:\n  isotick sims --check 'exec:python3 my_sim.py'"));
        add_sims_options(*app, *options);
        app->callback([this, options] {
            command_ = [this, options] { return run_sims_command(*options, catalog_, console_); };
        });
    }

    void add_loops() {
        auto options = std::make_shared<LoopsOptions>();
        CLI::App* app = app_.add_subcommand("loops", "List the loops that can drive a simulation");
        app->group("Commands")->footer(in_own_words("Example:\n  isotick loops semi-fixed"));
        add_loops_options(*app, *options);
        app->callback([this, options] {
            command_ = [this, options] { return run_loops_command(*options, console_); };
        });
    }

    void add_record() {
        auto options = std::make_shared<RecordOptions>();
        CLI::App* app = add("record", "Record a session: inputs and hashes",
                            "isotick record --sim skirmish --ticks 3600 -o s.isotick", options,
                            run_record_command);
        add_simulation(app, *options, "A built-in, a plug-in's path, or exec: and a command");
        options->simulation = only_simulation();
        app->get_option("--sim")->required(options->simulation.empty());
        app->add_option("-o,--output", options->output, "The recording to write")
            ->type_name("FILE")
            ->required();
        app->add_flag("--force", options->force, "Replace a recording that exists");
        add_session(app, *options);
        add_text(app, "--inputs", options->inputs, "SOURCE",
                 "Where inputs come from: bot, random (from the seed) or none");
        add_sample(app, options->sample);
        add_number(app, "--hash-every", options->hash_every, "Store a hash every so many ticks", 1,
                   kMostStride);
        add_number(app, "--parts-every", options->parts_every,
                   "Store the parts' hashes every so many ticks", 1, kMostStride);
        add_settings(app, "--note", options->notes, "To keep in the recording's head; repeatable");
        add_host(app, *options,
                 "Frame times of the live session, or a file of them; nominal by default");
        add_worker(app, options->worker, false);
    }

    void add_replay() {
        auto options = std::make_shared<ReplayOptions>();
        const auto command = [this](const ReplayOptions& chosen, Console& console) {
            return run_replay_command(chosen, catalog_, console);
        };
        CLI::App* app = add("replay", "Replay a recording once and compare its hashes",
                            "isotick replay s.isotick --schedule '100x16.667ms, 101.4ms'\n"
                            "  isotick replay s.isotick --schedule presentmon.csv\n"
                            "  isotick replay s.isotick --until 1187 --print 'units.health'\n"
                            "  isotick replay s.isotick --watch 'units.health[17]' > health.csv\n"
                            "  gdb --args isotick replay s.isotick --in-process",
                            options, command);
        app->add_option("recording", options->recording, "The recording")->required();
        add_simulation(app, *options, "Instead of the simulation the recording names");
        app->add_option("--until", options->until, "The last tick to replay")
            ->type_name("TICK")
            ->check(whole_number());
        add_text(app, "--state", options->state, "FILE",
                 "Write the last state, for isotick diff with another machine's");
        add_several(app, "--print", options->print, "PATH",
                    "Show fields of the last state; [*] is any element, '' all; repeatable");
        add_several(app, "--watch", options->watch, "PATH",
                    "A field at every tick: CSV on stdout, report on stderr; repeatable")
            ->excludes(app->get_option("--json"));
        add_vary(app, options->vary, "KEY=VALUE",
                 "What must not matter, at another value: setting or axis; repeatable");
        add_fields(app, options->fields, options->recorded_by);
        add_host(app, *options, "Frame times, or a file of them: a capture; nominal by default");
        add_frames(app, options->most_frames);
        add_worker(app, options->worker, false);
        add_text(app, "--drive", options->drive, "LINE",
                 "Loop, schedule and axes in one line, as --json prints them");
        for (const char* other : {"--schedule", "--loop", "--vary"}) {
            app->get_option("--drive")->excludes(app->get_option(other));
        }
        CLI::Option* here =
            app->add_flag("--in-process", options->in_process,
                          "Run in this process, for a debugger; no divergence is confirmed");
        for (const char* other : {"--fields", "--sim-a", "--timeout", "--memory-limit"}) {
            here->excludes(app->get_option(other));
        }
    }

    void add_verify() {
        auto options = std::make_shared<VerifyCommandOptions>();
        CLI::App* app = add("verify", "Replay recordings under many schedules: one verdict",
                            "isotick verify s.isotick --trials 200\n"
                            "  isotick verify s.isotick --vary workers=1,2,4,8",
                            options, run_verify_command);
        app->add_option("recordings", options->recordings, "The recordings")->required();
        add_simulation(app, *options, "Instead of the simulation the recordings name");
        add_number(app, "--trials", options->trials, "Trials per recording, the nominal included",
                   1);
        add_text(app, "--seed", options->seed, "SEED",
                 "Root of the trials' seeds: a number or random; else from the session");
        add_vary(app, options->vary, "KEY=A,B",
                 "What must not matter: trials with each of these values; repeatable");
        add_text(app, "--perturb", options->perturb, "LIST|all|none",
                 "Axes drawn for the trials: environment-size, malloc-fill; else none");
        add_fields(app, options->fields, options->recorded_by);
        add_audit_and_report(app, options->audit, options->report);
        app->add_flag("--strict", options->strict,
                      "End with 1 for an unfinished recording or a blind spot, too");
        add_host(app, *options,
                 "Try this one or a capture, after the nominal, instead of random ones");
        app->get_option("--loop")->description(
            "Turns frame times into ticks; or all: see isotick loops");
        add_shrink(app, options->shrink);
        add_frames(app, options->most_frames);
        add_worker(app, options->worker, true);
    }

    void add_minimize() {
        auto options = std::make_shared<MinimizeOptions>();
        CLI::App* app =
            add("minimize", "Make the smallest recording that still fails",
                "isotick minimize s.isotick -o small.isotick\n  isotick verify small.isotick",
                options, run_minimize_command);
        app->add_option("recording", options->recordings, "The recording")->required()->expected(1);
        app->add_option("-o,--output", options->output, "The recording to write")
            ->type_name("FILE")
            ->required();
        app->add_flag("--force", options->force, "Replace a recording that exists");
        add_simulation(app, *options, "Instead of the simulation the recording names");
        add_text(app, "--sim-a", options->recorded_by, "NAME|PATH",
                 "The build that made the recording, where another one fails");
        add_number(app, "--trials", options->trials, "Trials in which to look for a failure", 1);
        add_text(app, "--seed", options->seed, "SEED", "Root of the trials' seeds; see verify");
        add_host(app, *options, "Minimize what fails with this one");
        add_shrink(app, options->shrink);
        add_worker(app, options->worker, true);
    }

    void add_diff() {
        auto options = std::make_shared<DiffOptions>();
        CLI::App* app =
            add("diff", "Compare two recordings, or two states that replay --state wrote",
                "isotick diff before.isotick after.isotick", options, run_diff_command);
        app->add_option("a", options->a, "One recording, or state")->required();
        app->add_option("b", options->b, "The other")->required();
        app->add_flag("--fields{usual}", options->fields,
                      "Run both up to where they differ, and list the fields; or --fields=all");
        add_simulation(app, *options, "Runs both, instead of the simulation they name");
        add_text(app, "--sim-a", options->simulation_a, "NAME|PATH", "The build that made a");
        add_text(app, "--sim-b", options->simulation_b, "NAME|PATH", "The build that made b");
        add_worker(app, options->worker, false);
    }

    void add_inspect() {
        auto options = std::make_shared<InspectOptions>();
        CLI::App* app = add("inspect", "Say what a recording holds and whether it is intact",
                            "isotick inspect s.isotick\n"
                            "  isotick inspect s.isotick --ticks 100..160",
                            options, run_inspect_command);
        add_inspect_options(*app, *options);
    }

    void add_repair() {
        auto options = std::make_shared<RepairCommandOptions>();
        CLI::App* app = add("repair", "Save what is intact in a damaged recording",
                            "isotick repair damaged.isotick -o saved.isotick\n\n"
                            "Exit codes:\n"
                            "  0 the output is a valid recording; the report says what is lost\n"
                            "  3 no tick could be saved, or a file cannot be read or written",
                            options, run_repair_command);
        add_repair_options(*app, *options);
    }

    void add_export() {
        auto options = std::make_shared<ExportOptions>();
        CLI::App* app = add("export", "Write a recording as text, one JSON object a tick",
                            "isotick export s.isotick -o s.jsonl\n"
                            "  isotick export s.isotick | jq -c 'select(.t == 17)'",
                            options, [this](const ExportOptions& chosen, Console& console) {
                                return run_export_command(chosen, catalog_, console);
                            });
        add_export_options(*app, *options);
        add_text(app, "--sim", options->simulation, "NAME|PATH",
                 "Describes the inputs, instead of the built-in that the recording names");
    }

    void add_import() {
        auto options = std::make_shared<ImportCommandOptions>();
        CLI::App* app = add("import", "Make a recording of text, as export writes it or by hand",
                            "isotick import s.jsonl -o s.isotick\n"
                            "  isotick export s.isotick | sed s/move/attack/ | "
                            "isotick import - --rehash -o t.isotick",
                            options, [this](const ImportCommandOptions& chosen, Console& console) {
                                return run_import_command(chosen, catalog_, console);
                            });
        add_import_options(*app, *options);
        add_simulation(app, *options, "Instead of the built-in that the text names");
        add_worker(app, options->worker, false);
    }

    void add_audit() {
        auto options = std::make_shared<AuditCommandOptions>();
        options->ticks = 600;
        options->inputs.clear();
        options->simulation = only_simulation();
        CLI::App* app = add("audit", "Measure what hash and snapshot see, and what they miss",
                            "isotick audit --sim skirmish", options, run_audit_command);
        app->add_option("recording", options->recording,
                        "The recording whose session is run; by default one is recorded first");
        add_simulation(app, *options, "A built-in, a plug-in's path, or exec: and a command");
        add_session(app, *options);
        add_text(app, "--inputs", options->inputs, "SOURCE",
                 "Where inputs come from: bot, random or none; without a bot, random");
        add_worker(app, options->worker, true);
        for (const char* of_session :
             {"--ticks", "--seed", "--config", "--players", "--rate", "--inputs"}) {
            app->get_option(of_session)->excludes(app->get_option("recording"));
        }
    }

    void add_serve() {
        auto options = std::make_shared<ServeOptions>();
        options->simulation = only_simulation();
        CLI::App* app = app_.add_subcommand("serve", "Be a simulation for an isotick elsewhere");
        app->group("Commands")
            ->footer(in_own_words(
                "Example:\n"
                "  isotick verify s.isotick --sim 'exec:ssh arm isotick serve --sim ./game.so'\n"
                "\n"
                "Answers requests on stdin, as harness/PROTOCOL.md specifies, until it ends."));
        add_text(app, "--sim", options->simulation, "NAME|PATH",
                 "A built-in, or the path of a plug-in");
        app->get_option("--sim")->required(options->simulation.empty());
        app->callback([this, options] {
            command_ = [this, options] { return run_serve_command(*options, catalog_, console_); };
        });
    }

    ProgramName name_;
    harness::SimulationCatalog& catalog_;
    Console& console_;
    CLI::App app_;
    std::function<int()> command_;
};

}  // namespace

int run_program(int argument_count, const char* const* arguments,
                std::vector<const isotick_simulation_table*> simulations) {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
    const ProgramName name = name_of(argument_count > 0 ? arguments[0] : "isotick");
    Console console(name.shown);
    try {
        for (const isotick_simulation_table* const table : simulations) {
            if (const auto checked = core::check_table(table); !checked) {
                return fail_with(checked.error(), console);
            }
        }
        harness::SimulationCatalog catalog(std::move(simulations));
        const std::span given(arguments, static_cast<std::size_t>(argument_count));
        if (const auto code = harness::run_if_worker(given, catalog)) {
            return *code;
        }
        int code = CommandLine(name, catalog, console)
                       .run({given.begin() + (given.empty() ? 0 : 1), given.end()});
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
