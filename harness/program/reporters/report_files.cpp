#include "report_files.hpp"

#include "../output/text.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using core::ErrorCode;
using core::Result;

std::string surrounding(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

}  // namespace

// Not one of reporters(): a folder of reports is for people, this is for another isotick.
extern const Reporter kResultReporter;

namespace {

const Reporter* reporter_of_kind(std::string_view kind) {
    if (kind == kResultReporter.kind) {
        return &kResultReporter;
    }
    const auto found =
        std::ranges::find(reporters(), kind, [](const Reporter* one) { return one->kind; });
    return found == reporters().end() ? nullptr : *found;
}

std::string joined_kinds() {
    return core::joined(reporters(), ", ",
                        [](const Reporter* one) { return std::string(one->kind); });
}

// For GitHub: https://docs.github.com/actions/reference/workflow-commands-for-github-actions

// A workflow command is a line; `%` begins what stands for others.
std::string github_text(std::string_view text, bool is_property) {
    std::string escaped;
    for (const char each : core::printable_lines(text)) {
        switch (each) {
            case '%':
                escaped += "%25";
                break;
            case '\r':
                escaped += "%0D";
                break;
            case '\n':
                escaped += "%0A";
                break;
            case ':':
                escaped += is_property ? "%3A" : ":";
                break;
            case ',':
                escaped += is_property ? "%2C" : ",";
                break;
            default:
                escaped += each;
        }
    }
    return escaped;
}

// One for each finding. GitHub shows ten of a step.
std::string github_errors(const Report& report) {
    std::string text;
    for (const CommonFailure& finding : findings_of(report)) {
        const ReportedRecording& smallest = report.recordings[finding.smallest];
        const std::size_t others = finding.recordings.size() - 1;
        const std::string also =
            others == 0 ? "" : fmt::format(", and {}", counted(others, "more recording"));
        text +=
            fmt::format("::error title={}::{}\n",
                        github_text(fmt::format("isotick: {}{}", smallest.recording, also), true),
                        github_text(title_of(finding, report), false));
    }
    return text;
}

// What proves nothing fails the job as well.
std::string github_warnings(const Report& report) {
    std::string text;
    for (const ReportedRecording& one : report.recordings) {
        if (one.verdict == harness::Verdict::inconclusive) {
            text += fmt::format("::warning title={}::{}\n",
                                github_text("isotick: " + one.recording, true),
                                github_text("inconclusive: " + one.reason, false));
        }
    }
    return text;
}

// GitHub refuses a summary of a step that has more than 1 MiB.
constexpr std::size_t kLongestSummary = 1'000'000;

Result<void> write_github_summary(const std::string& path, std::string page) {
    if (page.size() > kLongestSummary) {
        const std::size_t end = page.rfind("\n<details", kLongestSummary);
        page.resize(end == page.npos ? 0 : end);
        page += "\n\nThe rest is too long for this page: see `--report markdown:FILE`.\n";
    }
    std::ofstream file(path, std::ios::app | std::ios::binary);
    file << page;
    return file.flush() ? Result<void>()
                        : core::fail(ErrorCode::io, "GITHUB_STEP_SUMMARY: cannot write to " + path);
}

}  // namespace

// Reports that are to be the same file.
Result<void> ReportFiles::take(const std::string& path) {
    std::error_code error;
    const auto full = std::filesystem::absolute(path, error);
    const auto place = std::filesystem::weakly_canonical(full, error);
    if (!places_.insert(error ? path : place.string()).second) {
        return core::fail(ErrorCode::usage, "--report: two reports are to be " + path);
    }
    return {};
}

Result<void> ReportFiles::add_file(const Reporter& reporter, const std::string& path,
                                   const std::vector<std::string>& read) {
    if (path.empty() || path == "-") {
        return core::fail(ErrorCode::usage, fmt::format("--report {}: name a file", reporter.kind));
    }
    ISOTICK_TRY(check_output(path, true, read));
    if (replay::Reader::open(path)) {
        return core::fail(ErrorCode::usage,
                          fmt::format("--report {}: {} is a recording", reporter.kind, path));
    }
    ISOTICK_TRY(take(path));
    ISOTICK_TRY_ASSIGN(auto file, OutputFile::create(path, true));
    files_.push_back({&reporter, std::move(file)});
    return {};
}

Result<void> ReportFiles::add_folder(const std::string& path,
                                     const std::vector<std::string>& read) {
    std::vector<std::string> names;
    for (const Reporter* reporter : reporters()) {
        names.emplace_back(reporter->file);
        const std::string file = path + "/" + names.back();
        ISOTICK_TRY(check_is_not_read(file, read));
        ISOTICK_TRY(take(file));
    }
    ISOTICK_TRY_ASSIGN(auto folder, OutputFolder::create("--report", path, std::move(names)));
    folders_.push_back(std::move(folder));
    return {};
}

Result<void> ReportFiles::add(const std::string& asked, const std::vector<std::string>& read) {
    if (asked == "github") {
        for_github_ = true;
        return {};
    }
    if (asked.empty()) {
        return core::fail(ErrorCode::usage, "--report: name a folder, KIND:FILE, or github");
    }
    if (reporter_of_kind(asked) != nullptr) {
        return core::fail(ErrorCode::usage,
                          fmt::format("--report {0}: name a file, as in {0}:FILE; a folder of that "
                                      "name is ./{0}",
                                      asked));
    }
    const std::size_t colon = asked.find(':');
    if (colon == asked.npos || asked.find('/') < colon) {
        return add_folder(asked, read);
    }
    const std::string kind = asked.substr(0, colon);
    if (const Reporter* const reporter = reporter_of_kind(kind)) {
        return add_file(*reporter, asked.substr(colon + 1), read);
    }
    return core::fail(ErrorCode::usage,
                      fmt::format("--report: there is no report of kind '{}', but {}; a folder of "
                                  "that name is ./{}",
                                  kind, joined_kinds() + ", result", asked));
}

Result<ReportFiles> ReportFiles::create(const std::vector<std::string>& asked,
                                        const std::vector<std::string>& read) {
    ReportFiles made;
    for (const std::string& one : asked) {
        ISOTICK_TRY(made.add(one, read));
    }
    made.for_github_ = made.for_github_ || surrounding("GITHUB_ACTIONS") == "true";
    if (const std::string file = surrounding("XML_OUTPUT_FILE"); !file.empty()) {
        ISOTICK_TRY(made.add("junit:" + file, read));
    }
    if (const std::string folder = surrounding("TEST_UNDECLARED_OUTPUTS_DIR"); !folder.empty()) {
        ISOTICK_TRY(made.add_folder(folder + "/isotick", read));
    }
    return made;
}

Result<void> ReportFiles::write(const Report& report, Console& console) {
    const auto written = [&report](const Reporter& reporter) {
        return core::printable_lines(without_colors(reporter.write(report)));
    };
    for (File& one : files_) {
        ISOTICK_TRY(one.file.write(written(*one.reporter)));
        ISOTICK_TRY(one.file.complete());
    }
    for (OutputFolder& folder : folders_) {
        for (const Reporter* reporter : reporters()) {
            ISOTICK_TRY(folder.write(reporter->file, written(*reporter)));
        }
        ISOTICK_TRY(folder.complete());
    }
    if (!for_github_) {
        return {};
    }
    console.to_stderr(github_errors(report) + github_warnings(report));
    const std::string summary = surrounding("GITHUB_STEP_SUMMARY");
    return summary.empty() ? Result<void>()
                           : write_github_summary(summary, written(*reporter_of_kind("markdown")));
}

void add_report(OptionList& list, std::vector<std::string>& asked) {
    list.texts("--report", asked, "KIND:FILE|FOLDER|github",
               "Also write text, json, markdown, junit, html, or result; repeatable");
}

std::string ctest_measurements(const Report& report) {
    if (surrounding("DASHBOARD_TEST_FROM_CTEST").empty()) {
        return "";
    }
    std::uint64_t trials = 0;
    std::uint64_t identical = 0;
    for (const ReportedRecording& one : report.recordings) {
        trials += one.trials_run;
        identical += one.trials_identical;
    }
    const auto line = [](std::string_view name, std::uint64_t value) {
        return fmt::format(
            "<CTestMeasurement type=\"numeric/integer\" name=\"{}\">{}</CTestMeasurement>\n", name,
            value);
    };
    return line("recordings", report.recordings.size()) + line("trials", trials) +
           line("trials identical", identical);
}

}  // namespace isotick::program
