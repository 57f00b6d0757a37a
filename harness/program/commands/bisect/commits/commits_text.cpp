#include "commits_text.hpp"

#include "../../../../src/bisect/tools/first_names.hpp"
#include "../../../../src/report/failure/field_rows.hpp"
#include "../../../output/report_words.hpp"
#include "../../../output/text.hpp"

#include <map>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::bisect::BisectReport;
using harness::bisect::CommitFacts;
using harness::bisect::first_names;
using harness::bisect::Regression;
using harness::bisect::short_hash;
using harness::bisect::Standing;
using harness::bisect::Visit;

constexpr std::size_t kMostFiles = 5;

std::string commit_rows(const CommitFacts& commit) {
    return row("commit", commit.hash) + row("author date", commit.author_date) +
           row("subject", commit.subject) + row("files", first_names(commit.files, kMostFiles));
}

std::string step_line(std::size_t number, const Visit& visit) {
    return printable(fmt::format("{:>6}  {}  {:<18}  {:<6}  {}", number, short_hash(visit.commit),
                                 to_string(visit.standing), visit.from_cache ? "cached" : "built",
                                 visit.signature ? to_string(*visit.signature) : visit.reason));
}

std::string step_rows(const Regression& regression) {
    std::string text = row("steps", counted(regression.steps.size(), "revision"));
    for (std::size_t i = 0; i < regression.steps.size(); ++i) {
        std::string line = step_line(i + 1, regression.steps[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string regression_text(const Regression& regression, const std::string& again) {
    std::string text;
    for (const CommitFacts& commit : regression.found) {
        text += commit_rows(commit);
    }
    text += row("looked for", to_string(regression.expected));
    text += row(regression.is_fix ? "diverged at" : "diverges at",
                regression.change.signature ? to_string(*regression.change.signature) : "");
    text += row("compared", regression.change.by_fields
                                ? "by fields: its state is made of others, so that no hash fits"
                                : "");
    text +=
        harness::field_rows(regression.change.fields,
                            regression.is_fix ? "fixed → broken" : "before → after", kMoreFields);
    text += step_rows(regression);
    text += row("skipped", skipped_text(regression));
    text += row("log", regression.log + ", as git bisect replay takes it");
    text += row("again", again);
    const auto& found = regression.found;
    const char* what = regression.is_fix ? "first fixed commit" : "first bad commit";
    return text + (found.size() == 1
                       ? short_hash(found.front().hash) + " is the " + what + "\n"
                       : fmt::format("the {} is one of these {}: skipped ones hide which\n", what,
                                     found.size()));
}

}  // namespace

std::string visit_text(const Visit& visit) {
    constexpr std::size_t kMany = 3;  // equal failures that may be the command's fault
    return short_hash(visit.commit) + " " + to_string(visit.standing) +
           (visit.signature        ? ": " + to_string(*visit.signature)
            : visit.reason.empty() ? ""
                                   : ": " + visit.reason) +
           (visit.same_failures == kMany ? " (the third build that failed for this reason; if "
                                           "--build is wrong, press Ctrl-C "
                                           "and mend it: builds are kept, failures are not; log: " +
                                               visit.log + ")"
                                         : "");
}

std::string skipped_text(const Regression& regression) {
    std::map<Standing, std::uint64_t> counts;
    for (const Visit& visit : regression.steps) {
        if (is_skipped(visit.standing)) {
            ++counts[visit.standing];
        }
    }
    std::vector<std::string> texts;
    for (const auto& [standing, count] : counts) {
        texts.push_back(fmt::format("{} ({})", count, to_string(standing)));
    }
    return joined(texts);
}

std::string commits_text(const BisectReport& report, const CommitsOptions& options) {
    std::string text = heading((options.recording.empty() ? options.inputs_of : options.recording) +
                               " over " + options.repository);
    const bool for_fix = !options.old_end.empty();
    text += row(for_fix ? "old" : "good", short_hash(report.good.hash) + " " + report.good.subject);
    text += row(for_fix ? "new" : "bad", short_hash(report.bad.hash) + " " + report.bad.subject);
    if (report.changed_files != 0) {
        text += row("note", counted(report.changed_files, "file") +
                                " in the work tree look changed; only commits are built");
    }
    text +=
        row("hashes",
            report.recorded_again ? "made again by the good end, from the recorded inputs" : "");
    text += row("builds", report.reused == 0
                              ? std::to_string(report.builds)
                              : fmt::format("{}, and {} reused (--rebuild builds them again)",
                                            report.builds, report.reused));
    if (report.regressions.empty()) {
        text += row("again", again(options)) + "no commit but those accepted changes the hashes\n";
    }
    for (const Regression& regression : report.regressions) {
        text += regression_text(regression, again(options));
    }
    return text;
}

}  // namespace isotick::program
