#include "diff.hpp"

#include "../../src/report/field_rows.hpp"
#include "../command/command.hpp"
#include "../json/recording_json.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/compare.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace isotick::program {
namespace {

// isotick diff of two state dumps.

using harness::StateComparison;

// Hashes of different algorithms cannot tell states apart.
bool same_hash(const StateComparison& compared) {
    return compared.a.hash_algorithm != compared.b.hash_algorithm ||
           compared.a.hash == compared.b.hash;
}

bool identical(const StateComparison& compared) {
    return same_hash(compared) && compared.differences.total == 0;
}

std::string side_row(const char* name, const std::string& path, const StateComparison::Side& side) {
    return row(name, fmt::format("{}: {} after {}, {} ({})", path, side.simulation,
                                 harness::describe_state(side.ticks_done), to_string(side.hash),
                                 side.hash_algorithm));
}

std::string state_diff_text(const DiffOptions& options, const StateComparison& compared) {
    std::string text = side_row("a", options.a, compared.a) + side_row("b", options.b, compared.b);
    if (compared.a.simulation != compared.b.simulation) {
        text += row("note", "these are states of different simulations");
    } else if (compared.a.ticks_done != compared.b.ticks_done) {
        text += row("note", "these are states after different ticks");
    }
    if (identical(compared)) {
        return text + "IDENTICAL  same fields" +
               (compared.a.hash_algorithm == compared.b.hash_algorithm ? ", same hash\n" : "\n");
    }
    if (compared.differences.total != 0 && same_hash(compared)) {
        text += row("warning", "the hashes are equal: they do not cover these fields");
    }
    return text +
           harness::differing_rows({}, {true, compared.differences, ""}, "a → b", kMoreFields) +
           "DIFFERS\n";
}

}  // namespace

int run_state_diff(const DiffOptions& options, Console& console) {
    const auto most = fields_option(options.fields, options.json);
    if (!most) {
        return fail_with(most.error(), console);
    }
    const auto compared = harness::compare_state_dumps(options.a, options.b, *most);
    if (!compared) {
        return fail_with(compared.error(), console);
    }
    console.print(options.json ? state_diff_json(options, *compared,
                                                 identical(*compared) ? "identical" : "differs")
                               : state_diff_text(options, *compared));
    return identical(*compared) ? 0 : 1;
}

namespace {

using core::Result;
using replay::ComparedFile;
using replay::Comparison;
using replay::HashDifference;
using replay::SessionDifference;

enum class Outcome { identical, differs, damaged, prefix, incomparable };

Outcome outcome_of(const Comparison& comparison) {
    if (comparison.session || comparison.hashes) {
        return Outcome::differs;
    }
    if (comparison.a.damage || comparison.b.damage) {
        return Outcome::damaged;
    }
    if (!comparison.incomparable.empty()) {
        return Outcome::incomparable;
    }
    return comparison.identical() ? Outcome::identical : Outcome::prefix;
}

const char* diff_word(Outcome outcome) {
    switch (outcome) {
        case Outcome::identical:
            return "identical";
        case Outcome::differs:
            return "differs";
        case Outcome::damaged:
            return "damaged";
        case Outcome::prefix:
            return "prefix";
        case Outcome::incomparable:
            return "incomparable";
    }
    return "";
}

int code_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::identical:
            return 0;
        case Outcome::differs:
            return 1;
        case Outcome::damaged:
            return 3;
        case Outcome::prefix:
        case Outcome::incomparable:
            return 4;
    }
    return 4;
}

std::string session_rows(const SessionDifference& difference) {
    const bool input = difference.what == SessionDifference::What::input;
    const char* unit = difference.what == SessionDifference::What::dt ? " s" : "";
    const bool has_tick = input || difference.what == SessionDifference::What::dt;
    std::string text =
        row("sessions", "first differ in " + harness::what_differs(difference) +
                            (has_tick ? fmt::format(" at tick {}", difference.tick.value) : ""));
    text += row("  a", input ? harness::input_text(difference.input_a)
                             : difference.text_a.value_or("not set") + unit);
    text += row("  b", input ? harness::input_text(difference.input_b)
                             : difference.text_b.value_or("not set") + unit);
    return text;
}

std::string hash_rows(const HashDifference& difference) {
    const std::string at = difference.tick ? fmt::format("at tick {}", difference.tick->value)
                                           : "in the initial state";
    std::string text = row("hashes", "first differ " + at);
    text += row("  a", to_string(difference.a));
    text += row("  b", to_string(difference.b));
    if (difference.last_equal) {
        text += row("agreed to", fmt::format("tick {}", difference.last_equal->value));
    } else {
        text += row("agreed to", difference.initial_equal ? "the initial state" : "none");
    }
    std::vector<std::string> names;
    for (const replay::PartDifference& part : difference.parts) {
        names.push_back(part.name);
    }
    if (names.empty()) {
        return text;
    }
    const bool later = difference.parts_tick != difference.tick;
    return text +
           row("differs in",
               joined(names) + (later ? fmt::format(" (at tick {}, the next with part hashes)",
                                                    difference.parts_tick->value)
                                      : ""));
}

std::string file_row(const char* name, const std::string& path, const ComparedFile& file) {
    std::string text = row(name, fmt::format("{}, {}{}", path, counted(file.ticks, "tick"),
                                             file.finished || file.damage ? "" : ", unfinished"));
    if (file.damage) {
        text += row("", fmt::format("damaged at byte {}: {}; only the ticks before it are compared",
                                    file.damage->offset, file.damage->reason));
    }
    if (file.tail_damage) {
        text += row("", fmt::format("tail damaged at byte {}: {}; no tick is lost",
                                    file.tail_damage->offset, file.tail_damage->reason));
    }
    return text;
}

// The states' ticks between which the first difference is.
harness::StateRange range_of(const HashDifference& difference) {
    const std::uint64_t last = difference.tick ? difference.tick->value + 1 : 0;
    const std::uint64_t first = difference.last_equal      ? difference.last_equal->value + 2
                                : difference.initial_equal ? 1
                                                           : 0;
    return {first, last};
}

// What runs one side: the build that made it, the one for both, or the one it names.
Result<harness::TrialRunner> side_runner(const char* option, const std::string& of_this_side,
                                         const DiffOptions& options, const std::string& recording,
                                         const Prepared& prepared) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(recording));
    const std::string& given = of_this_side.empty() ? options.simulation : of_this_side;
    return fitting_runner(given.empty()          ? ""
                          : of_this_side.empty() ? "--sim"
                                                 : option,
                          simulation_of(reader.head(), given), reader.head(), prepared.worker)
        .map_error([&](const core::Error& error) { return about(recording, error); });
}

harness::TrialPlan nominal_plan(const std::string& recording, const Prepared& prepared) {
    harness::TrialPlan plan;
    plan.recording = recording;
    plan.environment = prepared.environment;
    return plan;
}

}  // namespace

Result<std::optional<harness::Explanation>> first_difference(const DiffOptions& options,
                                                             const Comparison& comparison,
                                                             Console& console) {
    if (options.fields.empty() || !comparison.hashes) {
        return std::nullopt;
    }
    ISOTICK_TRY_ASSIGN(const auto prepared, prepare(options, "diff", console));
    ISOTICK_TRY_ASSIGN(const auto most, fields_option(options.fields, options.json));
    ISOTICK_TRY_ASSIGN(const auto a,
                       side_runner("--sim-a", options.simulation_a, options, options.a, prepared));
    ISOTICK_TRY_ASSIGN(const auto b,
                       side_runner("--sim-b", options.simulation_b, options, options.b, prepared));
    return find_divergence({nominal_plan(options.a, prepared), &a, comparison.hashes->a},
                           {nominal_plan(options.b, prepared), &b, comparison.hashes->b},
                           range_of(*comparison.hashes), {.most_fields = most});
}

namespace {

std::string divergence_rows(const std::optional<harness::Explanation>& difference) {
    if (!difference) {
        return row("fields",
                   "unknown: a run here does not reproduce its recorded hash; name the right "
                   "builds with --sim-a and --sim-b");
    }
    harness::PageRow fields =
        harness::differing_row(difference->parts, difference->fields, "a → b", kMoreFields, false);
    fields.name = "fields";  // the parts at the first stored hash that differs have their own row
    return row("first", "differs at " + harness::describe_state(difference->ticks_done)) +
           harness::page_text({fields});
}

std::string diff_text(const DiffOptions& options, const Comparison& comparison,
                      const std::optional<harness::Explanation>& difference) {
    std::string text = file_row("a", options.a, comparison.a);
    text += file_row("b", options.b, comparison.b);
    if (comparison.session) {
        text += session_rows(*comparison.session);
    }
    if (comparison.hashes) {
        text += hash_rows(*comparison.hashes);
        text += options.fields.empty() ? "" : divergence_rows(difference);
    }
    text += row("hashes", comparison.incomparable);
    const bool by_digests = comparison.searched && !comparison.differs();
    text += by_digests ? row("read", fmt::format("{} of a and {} of b; damage in others would go "
                                                 "unnoticed",
                                                 counted(comparison.a.chunks_read, "chunk"),
                                                 counted(comparison.b.chunks_read, "chunk")))
                       : "";
    const Outcome outcome = outcome_of(comparison);
    switch (outcome) {
        case Outcome::identical:
            return text + (by_digests ? "IDENTICAL  same digests of session and hashes\n"
                                      : "IDENTICAL  same session, same hashes\n");
        case Outcome::differs:
            return text + "DIFFERS\n";
        case Outcome::prefix:
            return text + fmt::format("INCONCLUSIVE  {} is a prefix of {}\n",
                                      comparison.a_is_prefix() ? "a" : "b",
                                      comparison.a_is_prefix() ? "b" : "a");
        case Outcome::damaged:
            return text + "UNREADABLE  no difference in the part that is readable in both\n";
        case Outcome::incomparable:
            return text + "INCONCLUSIVE  same session, but the hashes cannot be compared\n";
    }
    return text;
}

int run_diff(const DiffOptions& options, Console& console) {
    const bool a_is_state = harness::is_state_dump(options.a);
    const bool b_is_state = harness::is_state_dump(options.b);
    if (a_is_state != b_is_state && replay::Reader::open(a_is_state ? options.b : options.a)) {
        return fail_with(
            {core::ErrorCode::usage, "one file is a state, the other a recording", {}, {}, {}},
            console);
    }
    if (a_is_state && options.digests) {
        return fail_with({core::ErrorCode::usage, "--digests: these are states", {}, {}, {}},
                         console);
    }
    if (a_is_state || b_is_state) {
        return run_state_diff(options, console);
    }
    const auto comparison = replay::compare(
        options.a, options.b,
        options.digests ? replay::CompareDepth::digests : replay::CompareDepth::everything);
    if (!comparison) {
        return fail_with(comparison.error(), console);
    }
    const auto diverged = first_difference(options, *comparison, console);
    if (!diverged) {
        return fail_with(diverged.error(), console);
    }
    const Outcome outcome = outcome_of(*comparison);
    console.print(options.json ? diff_json(options, *comparison, diff_word(outcome), *diverged)
                               : diff_text(options, *comparison, *diverged));
    return code_of(outcome);
}

Action declare_diff(OptionList& list, CommandFrame& frame) {
    auto options = common_options<DiffOptions>(list, frame);
    list.argument("a", options->a, "One recording, or state");
    list.required("a");
    list.argument("b", options->b, "The other");
    list.required("b");
    list.flag("--digests", options->digests,
              "Compare long recordings by their digests alone: damage goes unnoticed");
    list.flag_with_value("--fields", kUsualFields, options->fields,
                         "Run both up to where they differ, and list the fields; or --fields=all");
    add_simulation(list, *options,
                   "Runs both recordings, instead of the simulation that they name");
    list.text("--sim-a", options->simulation_a, "NAME|PATH", "The build that made a");
    list.text("--sim-b", options->simulation_b, "NAME|PATH", "The build that made b");
    add_worker(list, options->worker, false);
    return [options, &frame] { return run_diff(*options, frame.console); };
}

}  // namespace

extern const Command kDiffCommand;
const Command kDiffCommand{"diff",
                           "Compare two recordings, or two states that replay --state wrote",
                           "Example:\n"
                           "  isotick diff before.isotick after.isotick",
                           declare_diff};

}  // namespace isotick::program
