#include "options.hpp"

#include "../../src/system/copied_process.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/capture.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Fraction;
using core::Result;

bool read_whole(std::string_view text, std::uint64_t& value, int base = 10) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc() && end == text.data() + text.size();
}

tl::unexpected<core::Error> bad_option(const std::string& option, const std::string& why) {
    return core::fail(ErrorCode::usage, option + ": " + why);
}

// `0.25`, `34.7712371%`: exactly, as a fraction of a power of ten.
std::optional<Fraction> decimal_fraction(std::string_view text) {
    const bool is_percent = text.ends_with('%');
    text.remove_suffix(is_percent ? 1 : 0);
    const auto digits = core::DecimalDigits::take(text);
    const std::size_t decimals = digits.fraction.size();
    const auto numerator = digits.scaled(static_cast<std::int64_t>(decimals));
    if (!text.empty() || !numerator || decimals > 9 || digits.has_point != (decimals > 0) ||
        digits.size() == 0) {
        return std::nullopt;
    }
    Fraction fraction{*numerator, is_percent ? 100U : 1U};
    for (std::size_t i = 0; i < decimals; ++i) {
        fraction.denominator *= 10;
    }
    return fraction;
}

Result<Fraction> fraction_option(const std::string& option, const std::string& text) {
    const std::size_t slash = text.find('/');
    Fraction fraction;
    if (slash != std::string::npos) {
        const std::string_view view = text;
        if (read_whole(view.substr(0, slash), fraction.numerator) &&
            read_whole(view.substr(slash + 1), fraction.denominator)) {
            return fraction;
        }
    } else if (const auto decimal = decimal_fraction(text)) {
        return *decimal;
    }
    return bad_option(option, "'" + text + "' is not a fraction; write 1/4, 0.25 or 25%");
}

Result<std::optional<core::FrameTime>> longest_frame_option(const std::string& text) {
    if (text == "none") {
        return std::nullopt;
    }
    const auto schedule = core::Schedule::parse(text);
    if (schedule && schedule->items().size() == 1) {
        const core::ScheduleItem& item = schedule->items().front();
        if (item == core::ScheduleItem{.duration = item.duration}) {
            return item.duration;
        }
    }
    return bad_option("--longest-frame", "'" + text + "' is not a duration; write 250ms or none");
}

// Sets one member, as `option` says. What the loop then cannot be made with is that option's fault.
template <class Member, class Value>
Result<void> set_option(const char* option, core::LoopOptions& options, Member member,
                        const Result<Value>& value) {
    if (!value) {
        return tl::unexpected(value.error());
    }
    options.*member = *value;
    if (auto made = core::Loop::make(core::TickRate(), options); !made) {
        return bad_option(option, made.error().message);
    }
    return {};
}

}  // namespace

Result<core::LoopOptions> loop_options(const LoopText& text) {
    auto parsed = core::parse_loop(text.loop);
    if (!parsed) {
        return bad_option("--loop", parsed.error().message);
    }
    core::LoopOptions options = *std::move(parsed);
    if (auto made = core::Loop::make(core::TickRate(), options); !made) {
        return bad_option("--loop", made.error().message);
    }
    using Options = core::LoopOptions;
    Result<void> set;
    if (text.longest_frame) {
        set = set_option("--longest-frame", options, &Options::longest_frame,
                         longest_frame_option(*text.longest_frame));
    }
    if (set && text.start_phase) {
        set = set_option("--start-phase", options, &Options::start_phase,
                         fraction_option("--start-phase", *text.start_phase));
    }
    if (set && text.time_scale) {
        set = set_option("--time-scale", options, &Options::time_scale,
                         fraction_option("--time-scale", *text.time_scale));
    }
    if (set && text.most_ticks) {
        const auto most = *text.most_ticks == 0 ? std::nullopt : text.most_ticks;
        set = set_option("--most-ticks", options, &Options::most_ticks,
                         Result<std::optional<std::uint64_t>>(most));
    }
    return set.map([&] { return std::move(options); });
}

Result<core::Settings> settings_option(const std::string& option,
                                       const std::vector<std::string>& texts) {
    core::Settings settings;
    for (const std::string& text : texts) {
        if (auto set = settings.set_text(text); !set) {
            return bad_option(option, set.error().message);
        }
    }
    return settings;
}

std::vector<std::string> shared_environment(const CommonOptions& options) {
    std::vector<std::string> settings = options.environment;
    for (std::string& setting : settings) {
        if (!options.with_environment) {
            setting = setting.substr(0, setting.find('=')) + "=…";
        }
    }
    return settings;
}

Result<core::Schedule> schedule_option(const std::string& text, Console& console) {
    if (text.empty()) {
        return core::Schedule::nominal();
    }
    harness::Captures captures;
    auto schedule = captures.read_schedule(text);
    if (!schedule) {
        return schedule.error().file.empty() ? bad_option("--schedule", schedule.error().message)
                                             : schedule;
    }
    for (const std::string& summary : captures.take_summaries()) {
        console.remark(summary);
    }
    return schedule;
}

Result<std::uint64_t> seed_option(const std::string& text) {
    std::uint64_t seed = 0;
    const std::string_view view = text;
    const bool read =
        view.starts_with("0x") ? read_whole(view.substr(2), seed, 16) : read_whole(view, seed);
    if (!read) {
        return bad_option("--seed", "'" + text + "' is not a number of 64 bits");
    }
    return seed;
}

Result<core::TickRate> rate_option(const std::string& text) {
    const auto rate = core::TickRate::parse(text);
    if (!rate) {
        return bad_option("--rate", rate.error().message);
    }
    return rate;
}

Result<std::optional<std::uint64_t>> shrink_option(const std::string& text) {
    std::uint64_t ticks = 0;
    if (text == "none") {
        return std::nullopt;
    }
    if (!text.empty() && !read_whole(text, ticks)) {
        return bad_option("--shrink", "'" + text + "' is neither a number of ticks nor none");
    }
    return ticks;
}

Result<std::size_t> fields_option(const std::string& text, bool json) {
    constexpr std::size_t kFew = 3;
    std::uint64_t most = json ? SIZE_MAX : kFew;
    if (text == "all") {
        return SIZE_MAX;
    }
    if (!text.empty() && text != kUsualFields && !read_whole(text, most)) {
        return bad_option("--fields", "'" + text + "' is neither a number nor all");
    }
    return most;
}

Result<std::string> draws_option(const std::string& text, std::size_t most_fields) {
    if (text.empty()) {
        return text;
    }
    const auto path = core::FieldPattern::parse(text);
    if (!path) {
        return core::fail(core::ErrorCode::usage, "--draws: " + path.error().message);
    }
    return most_fields > 0
               ? Result<std::string>(text)
               : core::fail(core::ErrorCode::usage, "--draws needs fields: leave out --fields 0");
}

Result<harness::WorkerOptions> worker_options(const WorkerText& text, std::string what,
                                              Console& console) {
    constexpr std::uint64_t kMostMib = std::uint64_t{1} << 40;
    if (text.memory_limit_mib > kMostMib) {
        return bad_option("--memory-limit", "this machine has less memory than that");
    }
    harness::WorkerOptions options;
    options.jobs = text.jobs;
    options.timeout_ms = static_cast<std::uint64_t>(text.timeout_seconds * 1000);
    if (text.timeout_seconds > 0 && options.timeout_ms == 0) {
        options.timeout_ms = 1;
    }
    options.memory_limit = text.memory_limit_mib << 20;
    options.on_progress = [&console, what = std::move(what)](std::size_t done, std::size_t total) {
        console.progress(what, done, total);
    };
    options.on_failed_start = [&console](const std::string& printed) {
        console.printed("the simulation", printed);
    };
    options.on_remark = [&console](const std::string& remark) { console.remark(remark); };
    return options;
}

Result<Prepared> prepare(const CommonOptions& options, std::string what, Console& console) {
    ISOTICK_TRY_ASSIGN(auto schedule, schedule_option(options.schedule, console));
    ISOTICK_TRY_ASSIGN(const auto loop, loop_options(options.loop));
    ISOTICK_TRY_ASSIGN(auto environment, settings_option("--environment", options.environment));
    ISOTICK_TRY_ASSIGN(auto shared, settings_option("--environment", shared_environment(options)));
    ISOTICK_TRY_ASSIGN(auto worker, worker_options(options.worker, std::move(what), console));
    return Prepared{std::move(schedule), loop, std::move(environment), std::move(shared),
                    std::move(worker)};
}

core::Error about(const std::string& file, core::Error error) {
    if (error.file.empty()) {
        error.file = file;
    }
    return error;
}

int fail_with(const core::Error& error, Console& console) {
    console.error(describe(error));
    switch (error.code) {
        case ErrorCode::usage:
            return 2;
        case ErrorCode::simulation:
            return 5;
        default:
            return 3;
    }
}

void add_settings(OptionList& list, const char* name, std::vector<std::string>& settings,
                  const char* help) {
    list.texts(name, settings, "KEY=VALUE", help);
}

void add_simulation(OptionList& list, CommonOptions& options, const char* help) {
    list.text("--sim", options.simulation, "NAME|PATH", help);
    add_settings(list, "--environment", options.environment,
                 "Setting for the simulation, never recorded; repeatable");
}

void add_with_environment(OptionList& list, CommonOptions& options) {
    list.flag("--with-environment", options.with_environment,
              "Do not hide --environment values in JSON and files");
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
              "Cut longer frames to this, or none: keep them; usually 250ms");
    list.number("--most-ticks", options.loop.most_ticks, "NUMBER",
                "Maximum ticks per frame; 0: no limit, the usual case");
    list.text("--time-scale", options.loop.time_scale, "FRACTION",
              "Simulation speed relative to frame time: 1/4, 0.25, 25%");
    list.text("--start-phase", options.loop.start_phase, "FRACTION",
              "Fraction of the first tick already elapsed at start, 0 to 1");
}

void add_shrink(OptionList& list, std::string& shrink) {
    list.text("--shrink", shrink, "TICKS|none",
              "Ticks to spend simplifying a failure; default: 20 replays' worth");
}

void add_fields(OptionList& list, std::string& fields, CommonOptions& options) {
    list.text("--fields", fields, "NUMBER|all",
              "Differing fields to list per kind (units[*].x); default: 3; JSON: all");
    list.text("--sim-a", options.recorded_by, "NAME|PATH",
              "The build that made the recording, to see its fields");
    list.text("--draws", options.draws, "PATH",
              "Random generator in the state: show whose draws are not on both sides");
}

void add_verbose(OptionList& list, CommonOptions& options) {
    list.flag("-v,--verbose", options.verbose,
              "Also show seeds, digests, hashes, and how much was run");
}

void add_vary(OptionList& list, std::vector<std::string>& vary, const char* type,
              const char* help) {
    list.texts("--vary", vary, type, help);
    list.footer(
        "--vary: a key is that of an axis (AXES.md), or belongs to the config if the\n"
        "recorded config has it or the simulation's config help names it (isotick sims\n"
        "NAME), otherwise to the environment; config.KEY or environment.KEY chooses.");
}

void add_rollback(OptionList& list, std::string& rollback) {
    list.text("--rollback", rollback, "DEPTH[,EVERY]",
              "Undo and rerun 1 to DEPTH ticks, or DEPTH after every EVERY ticks");
}

void add_frames(OptionList& list, std::uint64_t& most_frames) {
    list.number("--most-frames", most_frames,
                "Maximum frames per trial; 0: 1000 per tick plus a million");
}

using core::Result;

harness::SimulationName simulation_of(const replay::RecordingHead& head,
                                      const std::string& chosen) {
    return chosen.empty() ? harness::SimulationName::recorded(head.session.simulation)
                          : harness::SimulationName::chosen(chosen);
}

Result<harness::TrialRunner> fitting_runner(const std::string& option,
                                            const harness::SimulationName& simulation,
                                            const replay::RecordingHead& head,
                                            const harness::WorkerOptions& worker) {
    const auto facts = harness::facts_from_worker(simulation, worker);
    const auto fits = facts ? harness::check_match(head, *facts) : tl::unexpected(facts.error());
    if (!fits) {
        core::Error error = fits.error();
        error.message = option.empty() ? error.message : option + ": " + error.message;
        return tl::unexpected(error);
    }
    return harness::in_worker_processes(simulation, worker);
}

Result<std::optional<harness::TrialRunner>> recorded_side(const std::string& chosen,
                                                          const replay::RecordingHead& head,
                                                          const harness::WorkerOptions& worker) {
    if (chosen.empty()) {
        return std::nullopt;
    }
    return fitting_runner("--sim-a", harness::SimulationName::chosen(chosen), head, worker);
}

namespace {

constexpr int kCrashed = 5;

}  // namespace

int run_guarded(const std::function<int()>& body, Console& console) {
    harness::Progress unseen;
    const auto end = harness::run_in_copy(unseen, {.hang_ms = 0}, [&](harness::Progress&) {
        int code = body();
        if (auto flushed = console.flush(); !flushed) {
            code = fail_with(flushed.error(), console);
        }
        std::fflush(nullptr);
        return std::to_string(code);
    });
    if (!end) {
        return fail_with(end.error(), console);
    }
    if (end->finished) {
        return std::stoi(end->answer);
    }
    const int signal = end->process.signal;
    console.error(
        (harness::was_killed_from_outside(end->process)
             ? "the process that describes inputs with the plug-in was killed from outside: "
             : "the plug-in ended its process while describing an input: ") +
        (signal != 0 ? harness::signal_name(signal) : "it called exit"));
    return kCrashed;
}

}  // namespace isotick::program
