// Reports for CI servers, as JUnit XML: each recording is a test suite with one test, since all
// schemas (Ant, Surefire, Jenkins) have the properties in the suite.

#include "../../src/system/rows.hpp"
#include "../json/json_pieces.hpp"
#include "reporter.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::Verdict;

std::string attribute(std::string_view name, std::string_view value) {
    return fmt::format(" {}=\"{}\"", name, harness::xml_escaped(value));
}

std::string escaped_lines(std::string_view text) {
    std::string escaped;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        escaped += harness::xml_escaped(text.substr(0, end)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return escaped;
}

enum class Outcome { passed, failed, error, skipped };

Outcome outcome_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::identical:
            return Outcome::passed;
        case Verdict::diverged:
        case Verdict::nondeterministic:
            return Outcome::failed;
        case Verdict::inconclusive:
            return Outcome::skipped;
        default:
            return Outcome::error;
    }
}

struct Counts {
    std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;

    void add(const ReportedRecording& one) {
        const Outcome outcome = outcome_of(one.verdict);
        ++tests;
        failures += outcome == Outcome::failed ? 1 : 0;
        errors += outcome == Outcome::error ? 1 : 0;
        skipped += outcome == Outcome::skipped ? 1 : 0;
        seconds += one.seconds;
    }
    // Of all suites: Jenkins' schema has no `skipped` there.
    [[nodiscard]] std::string text() const {
        return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.3f}\"", tests,
                           failures, errors, seconds);
    }
    [[nodiscard]] std::string text_of_suite() const {
        return fmt::format("{} skipped=\"{}\"", text(), skipped);
    }
};

std::string property(std::string_view name, const std::string& value) {
    return value.empty() ? ""
                         : fmt::format("      <property{}{}/>\n", attribute("name", name),
                                       attribute("value", value));
}

std::string properties(const ReportedRecording& one) {
    if (one.trials_run == 0) {
        return "";
    }
    std::string text = property("trials", fmt::format("{}", one.trials_run)) +
                       property("seed", one.seed) + property("drive", one.drive);
    for (const harness::PageRow& row : one.rows) {
        if (row.name == "when" || row.name == "why" || row.name == "reproduce") {
            text += property(row.name, row.text);
        }
    }
    return "    <properties>\n" + text + "    </properties>\n";
}

std::string class_of(const ReportedRecording& one) {
    return one.simulation.empty() ? "isotick" : one.simulation;
}

// The same message for all recordings of a finding: servers put those together.
std::string result(const ReportedRecording& one, const std::string& finding) {
    const Outcome outcome = outcome_of(one.verdict);
    if (outcome == Outcome::passed) {
        return "";
    }
    const std::string message = attribute("message", finding.empty() ? one.reason : finding);
    if (outcome == Outcome::skipped) {
        return fmt::format("      <skipped{}/>\n", message);
    }
    const char* const element = outcome == Outcome::failed ? "failure" : "error";
    const std::string type = attribute("type", to_string(one.verdict));
    std::string text = fmt::format("      <{0}{1}{2}>{3}</{0}>\n", element, message, type,
                                   escaped_lines(without_colors(one.page)));
    if (one.verdict == Verdict::nondeterministic) {  // as Surefire marks what passes at times
        text += fmt::format("      <flakyFailure{}{}/>\n", message, type);
    }
    return text;
}

std::string report_junit(const Report& report) {
    const std::vector<CommonFailure> findings = findings_of(report);
    Counts all;
    std::string suites;
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        const ReportedRecording& one = report.recordings[i];
        const CommonFailure* finding = finding_with(findings, i);
        Counts own;
        own.add(one);
        all.add(one);
        const std::string name = attribute("name", one.recording);
        suites += fmt::format(
            "  <testsuite{}{}>\n{}    <testcase{}{} time=\"{:.3f}\">\n{}    </testcase>\n"
            "  </testsuite>\n",
            name, own.text_of_suite(), properties(one), attribute("classname", class_of(one)), name,
            one.seconds, result(one, finding == nullptr ? "" : title_of(*finding, report)));
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites{}{}>\n{}</testsuites>\n",
        attribute("name", "isotick " + report.command), all.text(), suites);
}

}  // namespace

extern const Reporter kJunitReporter;
const Reporter kJunitReporter{"junit", "report.xml", report_junit};

}  // namespace isotick::program
