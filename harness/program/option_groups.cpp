#include "option_groups.hpp"

namespace isotick::program {
namespace {

constexpr std::uint64_t kMostTicks = 1'000'000'000'000;

}  // namespace

void add_text(CLI::App* app, const char* name, std::string& text, const char* type,
              const char* description) {
    shown_as(type, app->add_option(name, text, description));
}

CLI::Option* add_several(CLI::App* app, const char* name, std::vector<std::string>& texts,
                         const char* type, const char* description) {
    return app->add_option(name, texts, description)->type_name(type)->take_all()->expected(1);
}

void add_settings(CLI::App* app, const char* name, std::vector<std::string>& settings,
                  const char* description) {
    add_several(app, name, settings, "KEY=VALUE", description);
}

void add_simulation(CLI::App* app, CommonOptions& options, const char* description) {
    add_text(app, "--sim", options.simulation, "NAME|PATH", description);
    add_settings(app, "--environment", options.environment,
                 "For the simulation, but not part of the session; repeatable");
}

void add_worker(CLI::App* app, WorkerText& worker, bool many) {
    shown_as("SECONDS", app->add_option("--timeout", worker.timeout_seconds,
                                        "Time out after so long without progress; 0: never"))
        ->check(seconds());
    add_number(app, "--memory-limit", worker.memory_limit_mib,
               "MiB that the simulation may use; 0: no limit");
    if (many) {
        add_number(app, "--jobs", worker.jobs, "Trials at a time; 0: one per processor");
    }
}

void add_host(CLI::App* app, CommonOptions& options, const char* schedule) {
    add_text(app, "--schedule", options.schedule, "SCHEDULE", schedule);
    add_text(app, "--loop", options.loop.loop, "LOOP",
             "What turns frame times into ticks: see isotick loops");
    app->add_option("--longest-frame", options.loop.longest_frame,
                    "Longer frames are cut to this; or none; usually 250ms")
        ->type_name("DURATION");
    app->add_option("--most-ticks", options.loop.most_ticks,
                    "Ticks per frame at most; 0: no limit, as usual")
        ->type_name("NUMBER")
        ->check(whole_number());
    app->add_option("--time-scale", options.loop.time_scale,
                    "Simulated time per frame time: 1/4, 0.25, 34.7712371%")
        ->type_name("FRACTION");
    app->add_option("--start-phase", options.loop.start_phase,
                    "How much of the first tick has passed already, 0 to 1")
        ->type_name("FRACTION");
}

void add_session(CLI::App* app, RecordOptions& options) {
    add_number(app, "--ticks", options.ticks, "How many ticks the session lasts", 1, kMostTicks);
    add_text(app, "--seed", options.seed, "SEED", "The session's seed, decimal or 0x…");
    add_settings(app, "--config", options.config,
                 "Part of the session; see isotick sims NAME; repeatable");
    app->add_option("--players", options.players,
                    "How many players; by default as many as is usual")
        ->type_name("NUMBER")
        ->check(whole_number(0, UINT32_MAX));
    add_text(app, "--rate", options.rate, "RATE",
             "Ticks per second: 60hz, 60000/1001hz; the simulation's own by default");
}

void add_audit_and_report(CLI::App* app, std::string& audit, std::string& folder) {
    shown_as("quick|none", app->add_option("--audit", audit, "Look for what the hash does not see"))
        ->check(CLI::IsMember({"quick", "none"}).description(""));
    add_text(app, "--report", folder, "FOLDER",
             "Also leave the report there, as report.txt and report.json");
}

void add_sample(CLI::App* app, std::string& sample) {
    shown_as("frame|tick",
             app->add_option("--sample", sample, "Sample inputs once per frame, or for each tick"))
        ->check(CLI::IsMember({"frame", "tick"}).description(""));
}

void add_shrink(CLI::App* app, std::string& shrink) {
    add_text(app, "--shrink", shrink, "TICKS|none",
             "To spend on a smaller schedule that fails; else 20 replays");
}

void add_fields(CLI::App* app, std::string& fields, std::string& recorded_by) {
    add_text(app, "--fields", fields, "NUMBER|all",
             "Fields to list of each kind, where states differ; else 3, in JSON all");
    add_text(app, "--sim-a", recorded_by, "NAME|PATH",
             "The build that made the recording, to see its fields");
}

void add_vary(CLI::App* app, std::vector<std::string>& vary, const char* type,
              const char* description) {
    add_several(app, "--vary", vary, type, description);
    app->footer(app->get_footer() +
                "\n\n"
                "--vary: a key is of the config where the recorded config has it or the\n"
                "simulation's config help names it (isotick sims NAME), else of the\n"
                "environment; config.KEY and environment.KEY say which.");
}

void add_frames(CLI::App* app, std::uint64_t& most_frames) {
    add_number(app, "--most-frames", most_frames,
               "Frames per trial at most; 0: 1000 per tick and a million");
}

}  // namespace isotick::program
