#include "report.hpp"

#include "../output/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

using harness::Verdict;

namespace {

// Numbers in a reason are of one run only: ticks, addresses, process ids.
std::string without_numbers(std::string text) {
    std::erase_if(text, [](char each) { return each >= '0' && each <= '9'; });
    return text;
}

// One session may have what another has not yet: then the same fault shows in fewer parts.
bool are_alike(const FailureSignature& a, const FailureSignature& b) {
    return without_numbers(a.cause) == without_numbers(b.cause) && a.phase == b.phase &&
           (std::ranges::includes(a.parts, b.parts) || std::ranges::includes(b.parts, a.parts)) &&
           a.parts.empty() == b.parts.empty();
}

}  // namespace

int exit_code(const Report& report) {
    const bool may_pass =
        report.verdict == Verdict::identical || report.verdict == Verdict::inconclusive;
    const bool fails_strictly =
        std::ranges::any_of(report.recordings, &ReportedRecording::fails_strictly);
    return may_pass && fails_strictly ? 1 : harness::exit_code(report.verdict);
}

Json rows_json(const std::vector<harness::PageRow>& rows) {
    Json list = Json::array();
    for (const harness::PageRow& row : rows) {
        list.push_back({{"name", row.name},
                        {"text", row.text},
                        {"lines", row.lines},
                        {"command", row.is_command}});
    }
    return list;
}

std::vector<CommonFailure> findings_of(const Report& report) {
    std::vector<CommonFailure> findings;
    for (std::size_t i = 0; i < report.recordings.size(); ++i) {
        const ReportedRecording& one = report.recordings[i];
        if (one.verdict == Verdict::identical || one.verdict == Verdict::inconclusive) {
            continue;
        }
        const auto known = std::ranges::find_if(findings, [&one](const CommonFailure& finding) {
            return finding.verdict == one.verdict && are_alike(finding.signature, one.signature);
        });
        if (known == findings.end()) {
            findings.push_back({one.verdict, one.signature, {i}, i});
            continue;
        }
        known->recordings.push_back(i);
        if (one.signature.parts.size() < known->signature.parts.size()) {
            known->signature = one.signature;
        }
        if (one.ticks < report.recordings[known->smallest].ticks) {
            known->smallest = i;
        }
    }
    return findings;
}

const CommonFailure* finding_with(std::span<const CommonFailure> findings, std::size_t recording) {
    const auto found = std::ranges::find_if(findings, [recording](const CommonFailure& finding) {
        return std::ranges::binary_search(finding.recordings, recording);
    });
    return found == findings.end() ? nullptr : &*found;
}

bool is_like_another(std::span<const CommonFailure> findings, std::size_t recording) {
    const CommonFailure* finding = finding_with(findings, recording);
    return finding != nullptr && finding->smallest != recording;
}

Json shown_result(std::span<const CommonFailure> findings, const Report& report,
                  std::size_t recording) {
    Json result = report.recordings[recording].result;
    if (is_like_another(findings, recording) && result.contains("failures")) {
        for (Json& failure : result["failures"]) {
            failure["frames"] = nullptr;
            if (!failure.at("explanation").is_null()) {
                failure["explanation"]["part_history"] = nullptr;
            }
        }
    }
    return result;
}

std::string recordings_of(const CommonFailure& finding, const Report& report) {
    const ReportedRecording& smallest = report.recordings[finding.smallest];
    return finding.recordings.size() == 1
               ? smallest.recording
               : fmt::format("{}: the smallest, with {}, is {}",
                             counted(finding.recordings.size(), "recording"),
                             counted(smallest.ticks, "tick"), smallest.recording);
}

std::string title_of(const CommonFailure& finding, const Report& report) {
    constexpr std::size_t kMost = 3;
    const ReportedRecording& smallest = report.recordings[finding.smallest];
    std::vector<std::string> fields =
        smallest.fields.empty() ? finding.signature.parts : smallest.fields;
    if (fields.size() > kMost) {
        const std::size_t more = fields.size() - kMost;
        fields.resize(kMost);
        fields.push_back(fmt::format("{} more", more));
    }
    const std::string& cause = smallest.signature.cause;
    return fmt::format("{}{}{}", to_string(finding.verdict),
                       fields.empty() ? "" : " in " + joined(fields),
                       cause.empty() ? "" : ": " + cause);
}

std::size_t left_out(const Report& report) {
    return static_cast<std::size_t>(
        std::ranges::count(report.recordings, true, &ReportedRecording::left_out));
}

std::string summary_of(std::span<const CommonFailure> findings, const Report& report) {
    if (!report.legs.empty()) {
        return fmt::format("{} on {}", counted(report.legs.size() - 1, "recording"),
                           counted(report.legs.front().size() - 1, "leg"));
    }
    std::uint64_t failed = 0;
    for (const CommonFailure& finding : findings) {
        failed += finding.recordings.size();
    }
    const std::uint64_t all = report.recordings.size();
    const bool several = failed > 1;
    const auto counted_ones =
        several ? failed
                : static_cast<std::uint64_t>(std::ranges::count(report.recordings, report.verdict,
                                                                &ReportedRecording::verdict));
    const std::string of =
        (counted_ones == all ? "" : grouped(counted_ones) + " of ") + counted(all, "recording");
    const auto kept = static_cast<std::uint64_t>(
        std::ranges::count(report.recordings, true, &ReportedRecording::from_cache));
    const std::size_t rest = left_out(report);
    const std::string besides =
        (kept == 0 ? "" : fmt::format(", {} from the cache", grouped(kept))) +
        (rest == 0 ? "" : fmt::format(", {} not verified: interrupted", grouped(rest)));
    const std::string why = !several ? ""
                            : findings.size() == 1
                                ? " fail, all for the same reason"
                                : " fail, for " + counted(findings.size(), "reason");
    return of + why + besides;
}

}  // namespace isotick::program
