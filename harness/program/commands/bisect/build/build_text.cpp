#include "build_text.hpp"

#include "../../../../src/bisect/tools/first_names.hpp"
#include "../../../../src/report/failure/field_rows.hpp"
#include "../../../output/report_words.hpp"
#include "../../../output/text.hpp"

#include <fmt/format.h>

namespace isotick::program {
namespace {

using harness::Verdict;
using harness::bisect::BuildReport;
using harness::bisect::FunctionCulprit;
using harness::bisect::Judgement;
using harness::bisect::LeftOut;
using harness::bisect::Mixed;
using harness::bisect::UnitCulprit;

std::string outcome(const Judgement& judgement) {
    return std::string(to_string(judgement.finding)) +
           (judgement.signature ? " at " + to_string(*judgement.signature) : "") +
           (judgement.reason.empty() ? "" : ": " + judgement.reason);
}

constexpr std::size_t kMostReached = 8;

std::string function_rows(const FunctionCulprit& one, const UnitCulprit& culprit) {
    const auto& signature = one.judgement.signature;
    const std::string text =
        row(one.functions.size() == 1 ? "  function" : "  together",
            joined(one.functions) + (signature == culprit.judgement.signature
                                         ? ""
                                         : ": diverges at " + to_string(*signature)));
    return text + row("  reaches", harness::bisect::first_names(one.reached, kMostReached));
}

std::string culprit_rows(const UnitCulprit& culprit, bool with_fields) {
    std::string text =
        row(culprit.files.size() == 1 ? "unit" : "units",
            joined(culprit.files) + (culprit.files.size() == 1 ? "" : ", only together"));
    text += row("  diverges", "at " + to_string(*culprit.judgement.signature));
    for (const FunctionCulprit& one : culprit.functions) {
        text += function_rows(one, culprit);
    }
    text += row("  functions",
                culprit.functions_unknown.empty() ? "" : "not known: " + culprit.functions_unknown);
    return text + (with_fields
                       ? harness::field_rows(culprit.judgement.fields, "usual → other", kMoreFields)
                       : "");
}

std::string notes(const BuildReport& report) {
    std::string text;
    if (report.recorded_again) {
        text += row("reference",
                    "the recorded inputs, played by the usual build: it does not come "
                    "to the recorded hashes");
    }
    for (const LeftOut& unit : report.left_out) {
        text += row("left out",
                    fmt::format("{}: the compiler {} (log: {})", unit.file, unit.reason, unit.log));
    }
    return text;
}

// What the culprits do not account for.
std::string doubts(const BuildReport& report) {
    std::string text;
    if (!explains_all(report)) {
        text += row("together", "these alone: " +
                                    outcome(report.together ? report.together->judgement
                                                            : report.culprits[0].judgement) +
                                    "; other units matter only with them");
    }
    if (report.rest_unknown) {
        text += row("note", "what the other units do without them could not be judged");
    }
    return text;
}

std::string last_line(const BuildReport& report, const Console& console) {
    if (report.culprits.empty()) {
        return console.verdict(Verdict::identical) + "  built either way\n";
    }
    return console.verdict(Verdict::diverged) + "  because of " +
           counted(report.culprits.size(), "culprit") + "\n";
}

}  // namespace

std::string mixture_text(const Mixed& mixed) {
    return mixed.what + ": " +
           (mixed.failure.empty() ? outcome(mixed.judgement)
                                  : "the link " + mixed.failure + " (log: " + mixed.log + ")");
}

std::string build_text(const BuildReport& report, const BuildOptions& options,
                       const Console& console) {
    std::string text = heading(options.recording + " with " + options.other);
    text += row("units", fmt::format("{} linked, {} with another object file", report.units,
                                     report.differing));
    text += notes(report);
    if (!report.culprits.empty()) {
        text += row("other build", outcome(report.other.judgement));
    }
    const bool with_fields = report.culprits.size() == 1 || !options.fields.empty();
    for (const UnitCulprit& culprit : report.culprits) {
        text += culprit_rows(culprit, with_fields);
    }
    text += report.culprits.empty() ? "" : doubts(report);
    text +=
        row("compiled", fmt::format("{}, and {} from cache", report.compiled, report.from_cache));
    text += row("links",
                fmt::format("{}, and {} for functions", report.unit_links, report.function_links));
    return text + row("again", again(options)) + last_line(report, console);
}

}  // namespace isotick::program
