#include "../command/command.hpp"
#include "../options/options.hpp"
#include "../reporters/report_files.hpp"
#include "../reporters/result_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace isotick::program {
namespace {

using core::Result;

struct MergeOptions : CommonOptions {
    std::vector<std::string> places;
    std::vector<std::string> report;
};

// A folder stands for the files in it whose names end in `.json`.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& places) {
    std::vector<std::string> files;
    for (const std::string& place : places) {
        std::error_code error;
        if (!std::filesystem::is_directory(place, error)) {
            files.push_back(place);
            continue;
        }
        const std::size_t before = files.size();
        std::filesystem::directory_iterator each(place, error);
        for (; !error && each != std::filesystem::directory_iterator(); each.increment(error)) {
            if (each->path().extension() == ".json") {
                files.push_back(each->path().string());
            }
        }
        if (error || files.size() == before) {
            return core::fail(
                core::ErrorCode::io,
                place + ": " + (error ? error.message() : "no results (*.json) are there"));
        }
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    }
    return files;
}

Result<int> merge(const MergeOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(const auto paths, files_of(options.places));
    ISOTICK_TRY_ASSIGN(auto files, ReportFiles::create(options.report, paths));
    std::vector<Report> parts;
    for (const std::string& path : paths) {
        ISOTICK_TRY_ASSIGN(auto part, read_result(path));
        parts.push_back(std::move(part));
    }
    ISOTICK_TRY_ASSIGN(auto report, merge_results(std::move(parts), paths));
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
    add_report(list, options->report);
    return [options, &frame] {
        const auto code = merge(*options, frame.console);
        return code ? *code : fail_with(code.error(), frame.console);
    };
}

}  // namespace

extern const Command kMergeCommand;
const Command kMergeCommand{"merge", "Make one report of what several machines verified",
                            "Example:\n"
                            "  isotick verify *.isotick --shard 1/2 --report result:1.json\n"
                            "  isotick verify *.isotick --shard 2/2 --report result:2.json\n"
                            "  isotick merge 1.json 2.json\n"
                            "\n"
                            "Give each machine the same recordings and options. A result that is\n"
                            "missing, there twice, or of another run ends with 3.",
                            declare_merge};

}  // namespace isotick::program
