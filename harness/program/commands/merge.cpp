#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../options/options.hpp"
#include "../output/text.hpp"
#include "../reporters/report_files.hpp"
#include "../reporters/result_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;
using harness::Verdict;

struct MergeOptions : CommonOptions {
    std::vector<std::string> places;
    std::vector<std::string> report;
    bool matrix = false;
};

// The one report of a run whose parts these are.
Result<Report> whole_run(const std::vector<std::string>& paths, const Console& console) {
    std::vector<Report> parts;
    for (const std::string& path : paths) {
        ISOTICK_TRY_ASSIGN(auto part, read_result(path));
        parts.push_back(std::move(part));
    }
    return merge_results(std::move(parts), paths, console);
}

// Comparing platforms.

// Where a recording differs.
struct Difference {
    std::optional<std::uint64_t> ticks_done;  // of the first state that differs; none: unknown
    std::vector<std::string> parts;           // of the state
    std::optional<std::uint64_t> parts_tick;  // the next one with part hashes; none: there
};

// By the trial that is explained, or the one that differs earliest. Throws what nlohmann throws.
Difference difference_of(const ReportedRecording& cell) {
    Difference found{{}, cell.signature.parts, {}};
    if (!cell.result.contains("failures")) {
        return found;
    }
    for (const Json& failure : cell.result.at("failures")) {
        const Json& explained = failure.at("explanation");
        if (!explained.is_null()) {
            found.ticks_done = explained.at("ticks_done").get<std::uint64_t>();
            const Json& later = explained.at("later_parts");
            if (found.parts.empty() && !later.is_null()) {
                found.parts_tick = later.at("tick").get<std::uint64_t>();
                for (const Json& part : later.at("parts")) {
                    found.parts.push_back(part.get<std::string>());
                }
            }
            return found;
        }
        if (const Json& seen = failure.at("divergence"); !seen.is_null()) {
            const auto ticks = seen.at("computed").at("ticks_done").get<std::uint64_t>();
            found.ticks_done = std::min(found.ticks_done.value_or(ticks), ticks);
        }
    }
    return found;
}

// Equal for the same session with the same hashes, whatever it is called. Empty where the leg could
// not read the recording. Throws what nlohmann throws.
std::string digests_of(const ReportedRecording& one) {
    return one.result.contains("session_digest")
               ? one.result.at("session_digest").get<std::string>() +
                     one.result.at("hash_digest").get<std::string>()
               : "";
}

// What a leg says of a recording.
struct Cell {
    ReportedRecording recording;
    std::string digests;
    Difference difference;
};

struct Leg {
    std::string name;
    std::vector<std::string> paths;  // of the results of its parts; none: it is missing
    std::vector<Cell> cells{};
};

// One recording: what it is, and what each leg says of it.
struct MatrixRow {
    std::string recording;
    std::string digests;                     // of session and hashes; empty: no leg could read it
    std::vector<std::optional<Cell>> cells;  // one for each leg
};

std::string file_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

// `arm=arm.json`, `arm=FOLDER` of its parts, `arm.json`, or a folder of such. What was named and
// is not there is a leg too.
Result<std::vector<Leg>> legs_at(const std::vector<std::string>& places) {
    std::vector<Leg> legs;
    for (const std::string& place : places) {
        std::error_code error;
        const std::size_t equals = place.find('=');
        const bool is_named = equals != place.npos && equals != 0 && equals < place.find('/');
        const std::string path = is_named ? place.substr(equals + 1) : place;
        const bool is_folder = std::filesystem::is_directory(path, error);
        const bool is_there = is_folder ? !std::filesystem::is_empty(path, error)
                                        : std::filesystem::exists(path, error);
        std::vector<std::string> paths;
        if (is_there) {
            ISOTICK_TRY_ASSIGN(paths, result_files({path}));
        }
        if (is_named || !is_there) {
            legs.push_back(
                {is_named ? place.substr(0, equals) : std::filesystem::path(path).stem().string(),
                 std::move(paths)});
            continue;
        }
        for (const std::string& one : paths) {
            legs.push_back({std::filesystem::path(one).stem().string(), {one}});
        }
    }
    std::set<std::string_view> names;
    for (const Leg& leg : legs) {
        if (!names.insert(leg.name).second) {
            return core::fail(ErrorCode::usage, "--matrix: two legs are called " + leg.name);
        }
    }
    if (legs.size() < 2) {
        return core::fail(ErrorCode::usage,
                          "--matrix: name at least two legs, as in "
                          "x86_64=x86_64.json aarch64=aarch64.json");
    }
    return legs;
}

// The row of this recording; without digests, the one of a file of this name that the leg has not.
MatrixRow& row_of(const Cell& cell, std::size_t leg, std::size_t legs,
                  std::vector<MatrixRow>& rows) {
    const std::string& path = cell.recording.recording;
    const auto known = std::ranges::find_if(rows, [&](const MatrixRow& row) {
        return cell.digests.empty() ? !row.cells[leg] && file_name(row.recording) == file_name(path)
                                    : row.digests == cell.digests;
    });
    return known != rows.end() ? *known
                               : rows.emplace_back(MatrixRow{
                                     path, cell.digests, std::vector<std::optional<Cell>>(legs)});
}

std::vector<MatrixRow> rows_of(const std::vector<Leg>& legs) {
    std::vector<MatrixRow> rows;
    for (const bool has_digests : {true, false}) {
        for (std::size_t leg = 0; leg < legs.size(); ++leg) {
            for (const Cell& one : legs[leg].cells) {
                if (one.digests.empty() == has_digests) {
                    continue;
                }
                auto& cell = row_of(one, leg, legs.size(), rows).cells[leg];
                const Verdict verdict = one.recording.verdict;
                if (!cell || graver(cell->recording.verdict, verdict) == verdict) {
                    cell = one;
                }
            }
        }
    }
    return rows;
}

Cell missing(const MatrixRow& row, const Leg& leg) {
    const std::string name = file_name(row.recording);
    const bool has_name = std::ranges::any_of(
        leg.cells, [&name](const Cell& one) { return file_name(one.recording.recording) == name; });
    Cell cell;
    cell.recording.verdict = Verdict::inconclusive;
    cell.recording.reason = leg.paths.empty() ? "no result"
                            : has_name        ? "another recording"
                                              : "not verified";
    return cell;
}

std::string cell_text(const Cell& cell) {
    const ReportedRecording& one = cell.recording;
    const Difference& found = cell.difference;
    constexpr std::size_t kMost = 3;
    if (one.trials_run == 0) {
        return one.verdict == Verdict::inconclusive ? one.reason : in_words(one.verdict);
    }
    std::vector<std::string> what = one.fields.empty() ? found.parts : one.fields;
    if (what.size() > kMost) {
        const std::string more = fmt::format("{} more", what.size() - kMost);
        what.resize(kMost);
        what.push_back(more);
    }
    return in_words(one.verdict) +
           (found.ticks_done ? " at " + harness::describe_state(*found.ticks_done) : "") +
           (what.empty()       ? ""
            : found.parts_tick ? fmt::format("; at tick {} in {}", *found.parts_tick, joined(what))
                               : " in " + joined(what));
}

Json cell_json(const Cell& cell, const Leg& leg) {
    const ReportedRecording& one = cell.recording;
    const Difference& found = cell.difference;
    return {{"leg", leg.name},
            {"verdict", to_string(one.verdict)},
            {"reason", text_json(one.signature.cause.empty() ? one.reason : one.signature.cause)},
            {"tick", found.ticks_done ? last_tick_json(*found.ticks_done) : Json(nullptr)},
            {"parts", found.parts},
            {"parts_tick", optional_json(found.parts_tick)},
            {"fields", one.fields}};
}

Report matrix_of(const std::vector<Leg>& legs) {
    Report report;
    report.command = "merge";
    Json json{{"verdict", ""}, {"legs", Json::array()}, {"recordings", Json::array()}};
    report.legs.push_back({"recording"});
    for (const Leg& leg : legs) {
        report.legs.front().push_back(leg.name);
        json["legs"].push_back({{"leg", leg.name}, {"missing", leg.paths.empty()}});
    }
    for (MatrixRow& row : rows_of(legs)) {
        Json cells = Json::array();
        std::vector<std::string>& line = report.legs.emplace_back(1, row.recording);
        for (std::size_t n = 0; n < legs.size(); ++n) {
            const Cell told = row.cells[n] ? *row.cells[n] : missing(row, legs[n]);
            line.push_back(cell_text(told));
            cells.push_back(cell_json(told, legs[n]));
            ReportedRecording cell = told.recording;
            cell.recording = row.recording + " on " + legs[n].name;
            cell.page = printable(legs[n].name) + ": " + cell.page;
            report.verdict = graver(report.verdict, cell.verdict);
            report.recordings.push_back(std::move(cell));
        }
        json["recordings"].push_back({{"recording", row.recording}, {"legs", std::move(cells)}});
    }
    if (report.recordings.empty()) {
        report.verdict = Verdict::inconclusive;
    }
    json["verdict"] = to_string(report.verdict);
    report.json = document(std::move(json));
    return report;
}

Result<Report> read_matrix(std::vector<Leg> legs, const Console& console) {
    for (Leg& leg : legs) {
        if (leg.paths.empty()) {
            continue;
        }
        ISOTICK_TRY_ASSIGN(const auto report, whole_run(leg.paths, console));
        try {
            for (const ReportedRecording& one : report.recordings) {
                leg.cells.push_back({one, digests_of(one), difference_of(one)});
            }
        } catch (const Json::exception&) {
            return tl::unexpected(
                about(leg.paths.front(),
                      {ErrorCode::damaged, "this leg's result is damaged", {}, {}, {}}));
        }
    }
    return matrix_of(legs);
}

Result<int> merge(const MergeOptions& options, Console& console) {
    std::vector<Leg> legs;
    if (options.matrix) {
        if (std::ranges::any_of(options.report, [](const std::string& one) {
                return one.starts_with("result:");
            })) {
            return core::fail(ErrorCode::usage, "--report result: a matrix cannot be merged again");
        }
        ISOTICK_TRY_ASSIGN(legs, legs_at(options.places));
    }
    ISOTICK_TRY_ASSIGN(std::vector<std::string> paths, options.matrix
                                                           ? Result<std::vector<std::string>>()
                                                           : result_files(options.places));
    for (const Leg& leg : legs) {
        paths.insert(paths.end(), leg.paths.begin(), leg.paths.end());
    }
    ISOTICK_TRY_ASSIGN(auto files, ReportFiles::create(options.report, paths));
    ISOTICK_TRY_ASSIGN(auto report, options.matrix ? read_matrix(std::move(legs), console)
                                                   : whole_run(paths, console));
    report.headline = console.verdict(report.verdict);
    console.print(options.json ? report_json(report)
                               : report_text(report) + ctest_measurements(report));
    ISOTICK_TRY(files.write(report, console));
    return exit_code(report);
}

Action declare_merge(OptionList& list, CommandFrame& frame) {
    auto options = common_options<MergeOptions>(list, frame);
    list.arguments("results", options->places,
                   "What verify --report result:FILE left, or folders of that");
    list.flag("--matrix", options->matrix,
              "Each result is of another platform: NAME=FILE, or FILE, which names it");
    add_report(list, options->report);
    return [options, &frame] {
        const auto code = merge(*options, frame.console);
        return code ? *code : fail_with(code.error(), frame.console);
    };
}

}  // namespace

extern const Command kMergeCommand;
const Command kMergeCommand{
    "merge", "Make one report of what several machines verified",
    "Example:\n"
    "  isotick verify *.isotick --shard 1/2 --report result:1.json\n"
    "  isotick verify *.isotick --shard 2/2 --report result:2.json\n"
    "  isotick merge 1.json 2.json\n"
    "\n"
    "Give each machine the same recordings and options. merge ends with 3 if\n"
    "a result is missing, is there twice, or is from a run with others.\n"
    "The parts of --shard-trials merge in the same way.\n"
    "\n"
    "--matrix compares platforms that verified the same recordings:\n"
    "  isotick merge --matrix x86_64=x86_64.json aarch64=arm/result.json\n"
    "A platform without a result is inconclusive.",
    declare_merge};

}  // namespace isotick::program
