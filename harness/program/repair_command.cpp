#include "json_pieces.hpp"
#include "options.hpp"
#include "text.hpp"

#include <isotick/replay/new_file.hpp>
#include <isotick/replay/repair.hpp>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::Json;
using replay::LostTicks;
using replay::RepairReport;
using replay::SalvagedRange;

// Of a file with more damage than that, the rest is in the JSON report.
constexpr std::size_t kMostRows = 20;
constexpr int kNothingSaved = 3;

std::uint64_t ticks_of(const SalvagedRange& range) {
    return range.ticks.end.value - range.ticks.first.value;
}

std::uint64_t ticks_written(const RepairReport& report) {
    std::uint64_t ticks = 0;
    for (const SalvagedRange& range : report.ranges) {
        ticks += range.path.empty() ? 0 : ticks_of(range);
    }
    return ticks;
}

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
    return lost.end
               ? ticks_text(lost.first.value, lost.end->value)
               : fmt::format("from tick {} on; how many there were is not known", lost.first.value);
}

std::string range_text(const SalvagedRange& range) {
    const std::string ticks = ticks_text(range.ticks.first.value, range.ticks.end.value);
    if (range.path.empty()) {
        return ticks + ", which are intact";
    }
    return fmt::format("{} in {}, {}{}", ticks, range.path.string(), counted(range.bytes, "byte"),
                       range.finished ? "" : ", unfinished");
}

std::string note_rows(const RepairReport& report) {
    return row("note", report.unfinished ? std::string(replay::unfinished_text()) : "") +
           row("note", report.lost_final_hashes ? "the hashes after the last tick are lost, and "
                                                  "with them the recording's end"
                                                : "");
}

std::string outcome_text(const RepairReport& report) {
    const std::uint64_t written = ticks_written(report);
    if (report.complete()) {
        return report.skipped.empty()
                   ? fmt::format("  {}, copied as they were", counted(written, "tick"))
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

std::string report_text(const std::string& path, const RepairReport& report,
                        const Console& console) {
    std::vector<SalvagedRange> written;
    std::vector<SalvagedRange> left;
    for (const SalvagedRange& range : report.ranges) {
        (range.path.empty() ? left : written).push_back(range);
    }
    std::string text = heading(path);
    text += row("session", session_line(report.head.session, ticks_written(report)));
    text += rows("damage", report.skipped, damage_text);
    text += rows("lost", report.lost, lost_text);
    text += rows("saved", written, range_text);
    text += rows("not saved", left, range_text);
    text += left.empty() ? "" : row("", "--all-ranges writes them to files of their own");
    text += note_rows(report);
    const char* word = !report.complete()       ? "incomplete"
                       : report.skipped.empty() ? "intact"
                                                : "repaired";
    const auto colour =
        report.complete() ? harness::Verdict::identical : harness::Verdict::unreadable;
    return text + console.headline(word, colour) + outcome_text(report) + "\n";
}

std::string report_json(const std::string& path, const RepairReport& report) {
    Json ranges = Json::array();
    for (const SalvagedRange& range : report.ranges) {
        ranges.push_back({{"first", range.ticks.first.value},
                          {"end", range.ticks.end.value},
                          {"finished", range.finished},
                          {"path", range.path.empty() ? Json(nullptr) : Json(range.path.string())},
                          {"bytes", range.bytes}});
    }
    Json lost = Json::array();
    for (const LostTicks& ticks : report.lost) {
        lost.push_back({{"first", ticks.first.value},
                        {"end", ticks.end ? Json(ticks.end->value) : Json(nullptr)}});
    }
    Json skipped = Json::array();
    for (const replay::SkippedBytes& bytes : report.skipped) {
        skipped.push_back(
            {{"offset", bytes.offset}, {"bytes", bytes.bytes}, {"reason", bytes.reason}});
    }
    return document({{"path", path},
                     {"session", session_json(report.head.session)},
                     {"first_tick", report.first_tick.value},
                     {"bytes", report.bytes},
                     {"complete", report.complete()},
                     {"unfinished", report.unfinished},
                     {"was_finished", report.was_finished},
                     {"lost_final_hashes", report.lost_final_hashes},
                     {"ranges", std::move(ranges)},
                     {"lost", std::move(lost)},
                     {"bytes_skipped", report.bytes_skipped},
                     {"skipped", std::move(skipped)}});
}

// What can be done about an output that is in the way.
core::Error with_advice(core::Error error, const RepairCommandOptions& options) {
    if (error.code == core::ErrorCode::usage && !options.force &&
        !replay::is_same_file(error.file, options.recording)) {
        error.message += "; --force replaces what exists";
    }
    return error;
}

}  // namespace

int run_repair_command(const RepairCommandOptions& options, Console& console) {
    if (options.output.empty()) {
        return fail_with(
            {core::ErrorCode::usage, "--output: the name of a file is missing", {}, {}, {}},
            console);
    }
    const auto report =
        replay::repair(options.recording, options.output,
                       {.overwrite = options.force, .all_ranges = options.all_ranges});
    if (!report) {
        return fail_with(with_advice(report.error(), options), console);
    }
    console.print(options.json ? report_json(options.recording, *report)
                               : report_text(options.recording, *report, console));
    return report->complete() || ticks_written(*report) > 0 ? 0 : kNothingSaved;
}

}  // namespace isotick::program
