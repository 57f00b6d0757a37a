#include "../../src/bisect/diverged_ticks.hpp"
#include "../../src/report/field_rows.hpp"
#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../json/trial_json.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::Result;
using harness::ComparedTicks;
using harness::Verdict;

/// One of the two, as the user gave it.
struct SideText {
    std::string given;  ///< a recording or a build
    std::string build;  ///< --sim-a or --sim-b: of a recording
};

struct TicksOptions : CommonOptions {
    std::array<SideText, 2> sides;
    std::string session;
    std::string fields;
};

constexpr std::array kNames{"a", "b"};
constexpr std::array kBuildOptions{"--sim-a", "--sim-b"};

/// One of the two, understood.
struct Side {
    std::string recording;
    std::string build;
    std::optional<harness::TrialRunner> run;

    [[nodiscard]] std::string text() const {
        return recording.empty() ? build
               : build.empty()   ? recording + ", its stored hashes"
                                 : recording + ", by " + build;
    }
};

// What is a recording's name, or has a recording's first bytes, is one.
Result<bool> is_recording(const std::string& given) {
    const auto reader = replay::Reader::open(given);
    if (reader) {
        return true;
    }
    if (std::filesystem::path(given).extension() == ".isotick") {
        return tl::unexpected(reader.error());
    }
    return false;
}

Result<Side> side_of(const SideText& text, const char* option) {
    ISOTICK_TRY_ASSIGN(const bool recorded, is_recording(text.given));
    if (recorded) {
        return Side{text.given, text.build, std::nullopt};
    }
    if (!text.build.empty()) {
        return core::fail(
            core::ErrorCode::usage,
            fmt::format("{}: '{}' is no recording but a build itself", option, text.given));
    }
    return Side{"", text.given, std::nullopt};
}

struct Sides {
    std::array<Side, 2> sides;
    std::string session;  ///< the recording whose session is played
    replay::RecordingHead head;
};

Result<Sides> understand(const TicksOptions& options) {
    Sides all;
    for (std::size_t i = 0; i < 2; ++i) {
        ISOTICK_TRY_ASSIGN(all.sides[i], side_of(options.sides[i], kBuildOptions[i]));
        all.session = all.session.empty() ? all.sides[i].recording : all.session;
    }
    if (!options.session.empty()) {
        if (!all.session.empty()) {
            return core::fail(
                core::ErrorCode::usage,
                "--session is for two builds: here the session is that of " + all.session);
        }
        all.session = options.session;
    }
    if (all.session.empty()) {
        return core::fail(core::ErrorCode::usage,
                          "neither is a recording: name the session to play with --session");
    }
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(all.session));
    all.head = reader.head();
    return all;
}

Result<void> find_runners(Sides& all, const Prepared& prepared) {
    for (std::size_t i = 0; i < 2; ++i) {
        Side& side = all.sides[i];
        if (!side.build.empty()) {
            ISOTICK_TRY_ASSIGN(side.run,
                               fitting_runner(side.recording.empty() ? kNames[i] : kBuildOptions[i],
                                              harness::SimulationName::chosen(side.build), all.head,
                                              prepared.worker));
        }
    }
    return {};
}

harness::TickSide tick_side(const Side& side) {
    return {side.recording, side.run ? &*side.run : nullptr};
}

// Which parts and fields differ there; none where a side is no build.
Result<std::optional<harness::Explanation>> look_at(const Sides& all, const ComparedTicks& diverged,
                                                    const TicksOptions& options,
                                                    const Prepared& prepared) {
    if (options.fields.empty() || !diverged.exact() || !all.sides[0].run || !all.sides[1].run) {
        return std::nullopt;
    }
    ISOTICK_TRY_ASSIGN(const auto most, fields_option(options.fields, options.json));
    harness::TrialPlan plan;
    plan.recording = all.session;
    plan.environment = prepared.environment;
    return harness::find_divergence({plan, &*all.sides[0].run, diverged.hashes[0]},
                                    {plan, &*all.sides[1].run, diverged.hashes[1]},
                                    {*diverged.ticks_done, *diverged.ticks_done},
                                    {.most_fields = most});
}

Verdict verdict_of(const ComparedTicks& diverged) {
    if (diverged.ticks_done) {
        return Verdict::diverged;
    }
    Verdict verdict = Verdict::identical;
    for (const auto& failed : diverged.failed) {
        verdict = failed ? graver(verdict, failed->verdict) : verdict;
    }
    return verdict;
}

std::string compared_rows(const ComparedTicks& diverged) {
    const auto agreed =
        diverged.last_agreed ? harness::describe_state(*diverged.last_agreed) : "none";
    std::string text = row("compared", counted(diverged.ticks, "tick"));
    text += row("agreed", diverged.last_agreed ? "through " + agreed : agreed);
    if (diverged.ticks_done) {
        text += row("differs at", harness::describe_state(*diverged.ticks_done));
        for (std::size_t i = 0; i < 2; ++i) {
            text += row(fmt::format("  {}", kNames[i]), to_string(diverged.hashes[i]));
        }
    }
    for (std::size_t i = 0; i < 2; ++i) {
        text += row(fmt::format("{} ended", kNames[i]),
                    diverged.failed[i]
                        ? in_words(diverged.failed[i]->verdict) + ": " + diverged.failed[i]->reason
                        : "");
    }
    return text + row("replayed", diverged.ticks_run == 0
                                      ? ""
                                      : counted(diverged.ticks_run, "tick") + " in all");
}

// What it takes to find the exact tick.
std::string more_text(const Sides& all, const ComparedTicks& diverged) {
    std::vector<std::string> needed;
    for (std::size_t i = 0; i < 2; ++i) {
        if (diverged.ticks_done && !diverged.exact() && !all.sides[i].run) {
            needed.push_back(fmt::format("{}, the build that made {}", kBuildOptions[i],
                                         all.sides[i].recording));
        }
    }
    return needed.empty() ? "" : "for the exact tick, give " + joined(needed);
}

std::string ticks_text(const Sides& all, const ComparedTicks& diverged,
                       const std::optional<harness::Explanation>& found, const Console& console) {
    std::string text;
    for (std::size_t i = 0; i < 2; ++i) {
        text += row(kNames[i], all.sides[i].text());
    }
    text += compared_rows(diverged) + row("try", more_text(all, diverged));
    if (found) {
        text += harness::differing_rows(found->parts, found->fields, "a → b", kMoreFields);
    }
    const Verdict verdict = verdict_of(diverged);
    return text + console.verdict(verdict) +
           (diverged.ticks_done ? (diverged.exact() ? "  at " : "  at or before ") +
                                      harness::describe_state(*diverged.ticks_done)
                                : "") +
           "\n";
}

Json failed_json(const std::optional<harness::TrialResult>& failed) {
    return failed ? Json{{"verdict", to_string(failed->verdict)}, {"reason", failed->reason}}
                  : Json(nullptr);
}

std::string ticks_json(const Sides& all, const ComparedTicks& diverged,
                       const std::optional<harness::Explanation>& found) {
    Json json{{"verdict", to_string(verdict_of(diverged))},
              {"session", all.session},
              {"ticks", diverged.ticks},
              {"exact", diverged.exact()},
              {"ticks_done", diverged.ticks_done ? Json(*diverged.ticks_done) : Json(nullptr)},
              {"last_agreed", diverged.last_agreed ? Json(*diverged.last_agreed) : Json(nullptr)},
              {"ticks_run", diverged.ticks_run},
              {"parting", found ? explanation_json(*found) : Json(nullptr)}};
    for (std::size_t i = 0; i < 2; ++i) {
        const Side& side = all.sides[i];
        json[kNames[i]] = {
            {"recording", text_json(side.recording)},
            {"build", text_json(side.build)},
            {"hash", diverged.ticks_done ? Json(to_string(diverged.hashes[i])) : Json(nullptr)},
            {"failed", failed_json(diverged.failed[i])}};
    }
    return document(std::move(json));
}

Result<int> find(const TicksOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(auto all, understand(options));
    ISOTICK_TRY_ASSIGN(const auto prepared, prepare(options, "bisect ticks", console));
    ISOTICK_TRY(find_runners(all, prepared));
    ISOTICK_TRY_ASSIGN(const auto diverged,
                       find_parted_tick(all.session, tick_side(all.sides[0]),
                                        tick_side(all.sides[1]), prepared.environment));
    ISOTICK_TRY_ASSIGN(const auto found, look_at(all, diverged, options, prepared));
    console.print(options.json ? ticks_json(all, diverged, found)
                               : ticks_text(all, diverged, found, console));
    return exit_code(verdict_of(diverged));
}

int run_ticks(const TicksOptions& options, Console& console) {
    const auto code = find(options, console);
    return code ? *code : fail_with(code.error(), console);
}

Action declare_ticks(OptionList& list, CommandFrame& frame) {
    auto options = common_options<TicksOptions>(list, frame);
    list.argument("a", options->sides[0].given,
                  "A recording or a build (a plug-in or exec:COMMAND)");
    list.required("a");
    list.argument("b", options->sides[1].given, "The other");
    list.required("b");
    list.text("--session", options->session, "FILE", "For two builds: the recording to play");
    list.text("--sim-a", options->sides[0].build, "NAME|PATH", "The build that made recording a");
    list.text("--sim-b", options->sides[1].build, "NAME|PATH", "The build that made recording b");
    list.flag_with_value("--fields", kUsualFields, options->fields,
                         "List the fields that differ at that tick; or --fields=all");
    add_settings(list, "--environment", options->environment,
                 "Setting for the simulation, never recorded; repeatable");
    add_worker(list, options->worker, false);
    return [options, &frame] { return run_ticks(*options, frame.console); };
}

}  // namespace

extern const Command kBisectTicksCommand;
const Command kBisectTicksCommand{"bisect ticks",
                                  "Find the first tick at which builds or recordings differ",
                                  "Example:\n"
                                  "  isotick bisect ticks monday.isotick ./tuesday.so\n"
                                  "  isotick bisect ticks a.isotick b.isotick --sim-a ./a.so "
                                  "--sim-b ./b.so\n"
                                  "  isotick bisect ticks ./gcc.so ./clang.so --session s.isotick "
                                  "--fields",
                                  declare_ticks};

}  // namespace isotick::program
