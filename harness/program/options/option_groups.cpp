#include "option_groups.hpp"

namespace isotick::program {

void add_settings(OptionList& list, const char* name, std::vector<std::string>& settings,
                  const char* help) {
    list.texts(name, settings, "KEY=VALUE", help);
}

void add_simulation(OptionList& list, CommonOptions& options, const char* help) {
    list.text("--sim", options.simulation, "NAME|PATH", help);
    add_settings(list, "--environment", options.environment,
                 "For the simulation, but not part of the session; repeatable");
}

void add_with_environment(OptionList& list, CommonOptions& options) {
    list.flag("--with-environment", options.with_environment,
              "Put the values of --environment into JSON and files too");
}

void add_output(OptionList& list, std::string& output, bool& force, const char* help,
                const char* force_help) {
    list.text("-o,--output", output, "FILE", help);
    list.required("--output");
    list.flag("--force", force, force_help);
}

void add_worker(OptionList& list, WorkerText& worker, bool many) {
    list.seconds("--timeout", worker.timeout_seconds,
                 "Time out after this long without progress; 0: never");
    list.number("--memory-limit", worker.memory_limit_mib,
                "MiB that the simulation may use; 0: no limit");
    if (many) {
        list.number("--jobs", worker.jobs, "Trials at a time; 0: one per processor");
    }
}

void add_host(OptionList& list, CommonOptions& options, const char* schedule) {
    list.text("--schedule", options.schedule, "SCHEDULE", schedule);
    list.text("--loop", options.loop.loop, "LOOP",
              "What turns frame times into ticks: see isotick loops");
    list.text("--longest-frame", options.loop.longest_frame, "DURATION",
              "Longer frames are cut to this; or none; usually 250ms");
    list.number("--most-ticks", options.loop.most_ticks, "NUMBER",
                "Ticks per frame at most; 0: no limit, as usual");
    list.text("--time-scale", options.loop.time_scale, "FRACTION",
              "Simulated time per frame time: 1/4, 0.25, 34.7712371%");
    list.text("--start-phase", options.loop.start_phase, "FRACTION",
              "How much of the first tick has passed already, 0 to 1");
}

void add_shrink(OptionList& list, std::string& shrink) {
    list.text("--shrink", shrink, "TICKS|none",
              "Ticks to spend on shrinking; default: those of 20 replays");
}

void add_fields(OptionList& list, std::string& fields, std::string& recorded_by) {
    list.text("--fields", fields, "NUMBER|all",
              "Differing fields of each kind to list; default: 3, in JSON all");
    list.text("--sim-a", recorded_by, "NAME|PATH",
              "The build that made the recording, to see its fields");
}

void add_vary(OptionList& list, std::vector<std::string>& vary, const char* type,
              const char* help) {
    list.texts("--vary", vary, type, help);
    list.footer(
        "--vary: a key is of the config where the recorded config has it or the\n"
        "simulation's config help names it (isotick sims NAME), else of the\n"
        "environment; config.KEY and environment.KEY say which.");
}

void add_rollback(OptionList& list, std::string& rollback) {
    list.text("--rollback", rollback, "DEPTH[,EVERY]",
              "Undo and rerun 1 to DEPTH ticks, or DEPTH after each EVERY");
}

void add_frames(OptionList& list, std::uint64_t& most_frames) {
    list.number("--most-frames", most_frames,
                "Frames per trial at most; 0: 1000 per tick and a million");
}

}  // namespace isotick::program
