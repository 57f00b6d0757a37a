#include "../command/command.hpp"
#include "../options/options.hpp"
#include "../reporters/report_files.hpp"
#include "../reporters/result_file.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::program {
namespace {

using core::Result;

struct MergeOptions : CommonOptions {
    std::vector<std::string> places;
    std::vector<std::string> report;
};

Result<int> merge(const MergeOptions& options, Console& console) {
    ISOTICK_TRY_ASSIGN(const auto paths, result_files(options.places));
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
