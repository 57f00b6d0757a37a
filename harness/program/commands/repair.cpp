#include "../command/command.hpp"
#include "../json/recording_json.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"

#include <isotick/replay/detail/new_file.hpp>
#include <isotick/replay/repair.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace isotick::program {
namespace {

struct RepairCommandOptions : CommonOptions {
    std::string recording;
    std::string output;
    bool force = false;
};

using replay::LostTicks;
using replay::RepairReport;
using replay::TickRange;

// Of a file with more damage than that, the rest is in the JSON report.
constexpr std::size_t kMostRows = 20;
constexpr int kNothingSaved = 3;

std::string ticks_text(std::uint64_t first, std::uint64_t end) {
    return first == end       ? "no tick"
           : first + 1 == end ? fmt::format("tick {}", first)
                              : fmt::format("ticks {} to {}", first, end - 1);
}

// One row for each of `things`, and one for those that are too many.
template <class Things, class Text>
std::string rows(const char* name, const Things& things, const Text& text_of) {
    std::string text;
    const std::size_t shown = std::min(things.size(), kMostRows);
    for (std::size_t i = 0; i < shown; ++i) {
        text += row(name, text_of(things[i]));
    }
    if (shown < things.size()) {
        text += row(name, fmt::format("… and {} more; --json lists them all",
                                      grouped(things.size() - shown)));
    }
    return text;
}

std::string damage_text(const replay::SkippedBytes& skipped) {
    return fmt::format("at byte {}: {}; {}", skipped.offset, skipped.reason,
                       skipped.bytes == 0 ? "what was before it is missing"
                                          : counted(skipped.bytes, "byte") + " skipped");
}

std::string lost_text(const LostTicks& lost) {
    return lost.end ? ticks_text(lost.first.value, lost.end->value)
                    : fmt::format("from tick {} on; their number is unknown", lost.first.value);
}

std::string saved_text(const std::string& output, const RepairReport& report) {
    return fmt::format("{} in {}, {}{}", ticks_text(0, report.saved_ticks), output,
                       counted(report.saved_bytes, "byte"), report.finished ? "" : ", unfinished");
}

std::string left_text(const TickRange& range) {
    return ticks_text(range.first.value, range.end.value) +
           ": intact, but a recording cannot start there";
}

std::string note_rows(const RepairReport& report) {
    return row("note", report.unfinished ? std::string(replay::unfinished_text()) : "") +
           row("note", report.lost_final_hashes ? "the hashes after the last tick are lost, and "
                                                  "with them the recording's end"
                                                : "");
}

std::string outcome_text(const RepairReport& report) {
    const std::uint64_t written = report.saved_ticks;
    if (report.complete() && report.bytes_skipped == 0) {
        return fmt::format("  {}, copied as they were", counted(written, "tick"));
    }
    if (report.complete()) {
        return report.unfinished
                   ? fmt::format("  {}, as far as the file goes", counted(written, "tick"))
                   : fmt::format("  all {}", counted(written, "tick"));
    }
    std::uint64_t lost = 0;
    for (const LostTicks& range : report.lost) {
        lost += range.end ? range.end->value - range.first.value : 0;
    }
    std::string text = "  " + counted(written, "tick") + " written";
    text += lost == 0 ? "" : ", " + counted(lost, "tick") + " lost";
    const bool is_end_lost = !report.lost.empty() && !report.lost.back().end;
    return text + (is_end_lost ? ", what followed is lost" : "");
}

std::string repair_text(const RepairCommandOptions& options, const RepairReport& report,
                        const Console& console) {
    std::string text = heading(options.recording);
    text += row("session", session_line(report.head.session, report.saved_ticks));
    text += rows("damage", report.skipped, damage_text);
    text += rows("lost", report.lost, lost_text);
    text += row("saved", saved_text(options.output, report));
    text += rows("not saved", report.not_saved, left_text);
    text += report.not_saved.empty() ? "" : row("", "inspect --ticks lists them");
    text += note_rows(report);
    const char* word = !report.complete()          ? "incomplete"
                       : report.bytes_skipped == 0 ? "intact"
                                                   : "repaired";
    const auto colour =
        report.complete() ? harness::Verdict::identical : harness::Verdict::unreadable;
    return text + console.headline(word, colour) + outcome_text(report) + "\n";
}

// What can be done about an output that is in the way.
core::Error with_advice(core::Error error, const RepairCommandOptions& options) {
    if (error.code == core::ErrorCode::usage && !options.force &&
        !replay::is_same_file(error.file, options.recording)) {
        error.message += "; --force replaces what exists";
    }
    return error;
}

int run_repair(const RepairCommandOptions& options, Console& console) {
    if (options.output.empty()) {
        return fail_with(
            {core::ErrorCode::usage, "--output: the name of a file is missing", {}, {}, {}},
            console);
    }
    const auto report =
        replay::repair(options.recording, options.output, {.overwrite = options.force});
    if (!report) {
        return fail_with(with_advice(report.error(), options), console);
    }
    remark_unfinished(options.recording, console);
    console.print(options.json ? repair_json(options.recording, options.output, *report)
                               : repair_text(options, *report, console));
    return report->complete() || report->saved_ticks > 0 ? 0 : kNothingSaved;
}

Action declare_repair(OptionList& list, CommandFrame& frame) {
    auto options = common_options<RepairCommandOptions>(list, frame);
    list.argument("recording", options->recording, "The recording; it stays unchanged");
    list.required("recording");
    add_output(list, options->output, options->force,
               "Where to write the ticks before the first lost one");
    return [options, &frame] { return run_repair(*options, frame.console); };
}

}  // namespace

extern const Command kRepairCommand;
const Command kRepairCommand{"repair", "Save what is intact in a damaged recording",
                             "Example:\n"
                             "  isotick repair damaged.isotick -o saved.isotick\n"
                             "\n"
                             "Exit codes:\n"
                             "  0 the output is a valid recording; the report says what is lost\n"
                             "  3 no tick could be saved, or a file cannot be read or written",
                             declare_repair};

}  // namespace isotick::program
