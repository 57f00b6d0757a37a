#include "recording_share.hpp"

#include "../../src/axes/axes.hpp"
#include "../../src/study/trial_shares.hpp"
#include "../../src/system/hex.hpp"
#include "../output/text.hpp"
#include "reporter.hpp"

#include <isotick/core/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace isotick::program {

using core::ErrorCode;
using core::Result;
using harness::FailedTrial;
using harness::Verdict;
using harness::VerifyReport;

namespace {

// Before it was shrunk.
const harness::Drive& drive_of(const FailedTrial& failure) {
    return failure.shrinking ? failure.shrinking->drive : failure.plan.drive;
}

bool is_of_frames(const harness::Drive& drive) {
    return drive.axes.empty() && !drive.has_nominal_frames();
}

// What is certain comes first: a nominal trial that fails, then what always fails in one way.
std::uint64_t certainty(const FailedTrial& failure) {
    const harness::Drive& drive = failure.plan.drive;
    const bool is_plain = drive.axes.empty() && drive.has_nominal_frames();
    if (failure.number == 0 || (failure.explanation && is_plain)) {
        return 0;
    }
    if (failure.explanation) {
        return failure.result.verdict == Verdict::diverged ? 1 : 2;
    }
    return failure.shrinking ? 3 : 4;
}

ShownFailure shown_failure(const FailedTrial& failure) {
    ShownFailure shown{failure.number, {certainty(failure), 0, 0, 0, failure.number}, false};
    if (!failure.explanation && !failure.shrinking) {
        return shown;
    }
    const harness::Drive& drive = drive_of(failure);
    const harness::Axis* only =
        drive.axes.size() == 1 ? harness::find_axis(drive.axes.front().axis) : nullptr;
    const bool is_alone = drive.axes.empty() || (only != nullptr && drive.has_nominal_frames());
    const auto& divergence = failure.result.divergence;
    shown.rank[1] = drive.axes.size() + (is_alone ? 0 : 1);
    shown.rank[2] = failure.shrinking ? failure.shrinking->ticks_done
                    : divergence      ? divergence->computed.ticks_done
                                      : 0;
    shown.rank[3] = only != nullptr && only->of_memory ? 0 : 1;
    shown.is_mixture_of_frames = !drive.axes.empty() && is_of_frames(failure.plan.drive);
    return shown;
}

}  // namespace

RecordingShare share_of(const VerifyReport& report, const VerifyRun& run,
                        const VerifyCommandOptions& options) {
    RecordingShare share{report, {}, {}, run.environment, run.leaves_out_values, options.strict};
    for (const FailedTrial& failure : report.failures) {
        const harness::Drive& drive = drive_of(failure);
        share.failures.push_back(
            {failure.number, varied_in(drive), failure.result.divergence && is_of_frames(drive)});
    }
    if (!report.failures.empty()) {
        share.shown = shown_failure(foremost(report));
    }
    return share;
}

Json share_json(const RecordingShare& share) {
    const std::string bytes = harness::report_to_bytes(share.report);
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    Json failures = Json::array();
    for (const SharedFailure& one : share.failures) {
        failures.push_back(
            {{"trial", one.number}, {"varied", one.varied}, {"of_frames", one.of_frames}});
    }
    Json environment = Json::array();
    for (const auto& [key, value] : share.environment.entries()) {
        environment.push_back({{"key", key}, {"value", value}});
    }
    const auto& shown = share.shown;
    return {{"report", harness::hex_bytes({first, bytes.size()})},
            {"failures", std::move(failures)},
            {"shown", shown ? Json{{"trial", shown->number},
                                   {"rank", shown->rank},
                                   {"is_mixture_of_frames", shown->is_mixture_of_frames}}
                            : Json(nullptr)},
            {"environment", std::move(environment)},
            {"leaves_out_values", share.leaves_out_values},
            {"strict", share.strict}};
}

namespace {

template <class T>
T value_or_throw(Result<T> result) {
    if (!result) {
        throw std::invalid_argument(result.error().message);
    }
    return *std::move(result);
}

VerifyReport report_from_hex(const std::string& digits) {
    const auto bytes = harness::bytes_from_hex(digits);
    if (!bytes) {
        throw std::invalid_argument("a report is not hexadecimal");
    }
    return value_or_throw(
        harness::report_from_bytes({reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
}

}  // namespace

RecordingShare share_from(const Json& json) {
    RecordingShare share;
    share.report = report_from_hex(json.at("report").get<std::string>());
    for (const Json& one : json.at("failures").get_ref<const Json::array_t&>()) {
        share.failures.push_back({one.at("trial").get<std::uint64_t>(),
                                  one.at("varied").get<std::string>(),
                                  one.at("of_frames").get<bool>()});
    }
    const bool is_complete = std::ranges::equal(share.failures, share.report.failures, {},
                                                &SharedFailure::number, &FailedTrial::number);
    if (const Json& shown = json.at("shown"); !shown.is_null()) {
        share.shown.emplace();
        shown.at("trial").get_to(share.shown->number);
        shown.at("rank").get_to(share.shown->rank);
        shown.at("is_mixture_of_frames").get_to(share.shown->is_mixture_of_frames);
    }
    if (!is_complete || share.shown.has_value() == share.failures.empty()) {
        throw std::invalid_argument("failures are missing");
    }
    for (const Json& one : json.at("environment").get_ref<const Json::array_t&>()) {
        const auto set = share.environment.set(one.at("key").get<std::string>(),
                                               one.at("value").get<std::string>());
        if (!set) {
            throw std::invalid_argument(set.error().message);
        }
    }
    json.at("leaves_out_values").get_to(share.leaves_out_values);
    json.at("strict").get_to(share.strict);
    return share;
}

namespace {

// One recording, whose parts are merged. Throws what a share_from does.
class Merging {
  public:
    Merging(const std::vector<ReportedRecording>& parts, bool verbose, const Console& console)
        : parts_(parts), console_(console) {
        options_.verbose = verbose;
        for (const ReportedRecording& part : parts) {
            if (part.share) {
                verified_.push_back(&part);
            }
        }
    }

    [[nodiscard]] ReportedRecording merge() { return verified_.empty() ? gravest() : whole(); }

  private:
    // None was verified: so it would be in one run.
    [[nodiscard]] ReportedRecording gravest() const {
        const auto is_graver = [](const ReportedRecording& a, const ReportedRecording& b) {
            return a.verdict != b.verdict && graver(a.verdict, b.verdict) == b.verdict;
        };
        ReportedRecording found = *std::max_element(parts_.begin(), parts_.end(), is_graver);
        found.seconds = seconds();
        return found;
    }

    [[nodiscard]] double seconds() const {
        double sum = 0;
        for (const ReportedRecording& part : parts_) {
            sum += part.seconds;
        }
        return sum;
    }

    [[nodiscard]] ReportedRecording whole() {
        std::vector<VerifyReport> reports;
        for (const ReportedRecording* part : verified_) {
            reports.push_back(part->share->report);
        }
        VerifyReport report = harness::whole_of(std::move(reports));
        add_unverified(report);
        const RecordingShare& first = *verified_.front()->share;
        options_.strict = first.strict;
        run_.environment = first.environment;
        run_.leaves_out_values = first.leaves_out_values;
        choose_shown();
        const auto rows = shown_ == nullptr ? std::vector<harness::PageRow>() : shown_rows(report);
        Json result = json_of(report);
        VerifiedRecording one{verified_.front()->recording, report.verdict, std::move(report), ""};
        one.seconds = seconds();
        ReportedRecording made = report_of(one, rows, std::move(result), run_, options_, console_);
        if (shown_ != nullptr) {
            made.drive = shown_->drive;
            made.fields = shown_->fields;
            made.signature = shown_->signature;
            made.reason += made.reason.empty() ? shown_->reason : "";
        }
        return made;
    }

    // Trials that were to be run and were not.
    void add_unverified(VerifyReport& report) const {
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (!parts_[i].share) {
                report.verdict = graver(report.verdict, parts_[i].verdict);
                report.reasons.push_back(
                    fmt::format("part {} of {}: {}", i + 1, parts_.size(), parts_[i].reason));
            }
        }
    }

    // As verify chooses one: what frame times do alone comes before a mixture of which no more than
    // they are left.
    void choose_shown() {
        const bool frames_alone = std::ranges::any_of(verified_, [](const auto* part) {
            return std::ranges::any_of(part->share->failures, &SharedFailure::of_frames);
        });
        std::array<std::uint64_t, 5> least{};
        for (const ReportedRecording* part : verified_) {
            if (!part->share->shown) {
                continue;
            }
            auto rank = part->share->shown->rank;
            if (part->share->shown->is_mixture_of_frames && !frames_alone) {
                rank[1] = 0;
            }
            if (shown_ == nullptr || rank < least) {
                shown_ = part;
                least = rank;
            }
        }
    }

    [[nodiscard]] bool is_shown(const ReportedRecording* part, std::uint64_t number) const {
        return part == shown_ && number == shown_->share->shown->number;
    }

    // Each of the whole's failures, with the part that has it: where all have, the one shown.
    [[nodiscard]] std::map<std::uint64_t, const ReportedRecording*> failures() const {
        std::map<std::uint64_t, const ReportedRecording*> found;
        for (const ReportedRecording* part : verified_) {
            for (const SharedFailure& failure : part->share->failures) {
                const auto known = found.emplace(failure.number, part).first;
                if (is_shown(part, failure.number)) {
                    known->second = part;
                }
            }
        }
        return found;
    }

    // Of the page's rows only one is about other trials.
    [[nodiscard]] std::vector<harness::PageRow> shown_rows(const VerifyReport& report) const {
        CountedFailure shown;
        std::vector<CountedFailure> others;
        const auto owners = failures();
        for (const FailedTrial& failure : report.failures) {
            const ReportedRecording* part = owners.at(failure.number);
            const auto& known = part->share->failures;
            const auto text = std::ranges::find(known, failure.number, &SharedFailure::number);
            CountedFailure counted{failure.result.verdict, failure.result.divergence.has_value(),
                                   text->varied};
            if (is_shown(part, failure.number)) {
                shown = std::move(counted);
            } else {
                others.push_back(std::move(counted));
            }
        }
        std::vector<harness::PageRow> rows = shown_->rows;
        std::erase_if(rows, [](const harness::PageRow& row) { return row.name == "also"; });
        if (std::string also = others_text(others, shown, options_.verbose); !also.empty()) {
            const bool is_last = rows.empty() || rows.back().name != "trial";
            rows.insert(is_last ? rows.end() : rows.end() - 1, {"also", std::move(also)});
        }
        return rows;
    }

    // One run explains one failure: the one that it shows.
    [[nodiscard]] Json json_of(VerifyReport report) const {
        report.failures.clear();
        Json json = recording_json({report.recording, report.verdict, report, ""}, options_);
        for (const auto& [number, part] : failures()) {
            const auto& all = part->result.at("failures").get_ref<const Json::array_t&>();
            const auto found = std::ranges::find_if(
                all, [&number](const Json& one) { return one.at("trial") == number; });
            if (found == all.end()) {
                throw std::invalid_argument("failures are missing");
            }
            Json& failure = json["failures"].emplace_back(*found);
            if (!is_shown(part, number)) {
                failure["explanation"] = nullptr;
                failure["frames"] = nullptr;
            }
        }
        return json;
    }

    const std::vector<ReportedRecording>& parts_;
    const Console& console_;
    std::vector<const ReportedRecording*> verified_;
    VerifyCommandOptions options_;
    VerifyRun run_;
    const ReportedRecording* shown_ = nullptr;  // null: no trial failed
};

core::Error damaged(const std::string& path, std::string why) {
    return {ErrorCode::damaged, std::move(why), path, {}, {}};
}

bool are_of_one(const VerifyReport& a, const VerifyReport& b) {
    return a.session_digest == b.session_digest && a.hash_digest == b.hash_digest &&
           a.seed == b.seed;
}

}  // namespace

Result<ReportedRecording> merge_shares(const std::vector<ReportedRecording>& parts,
                                       const std::vector<std::string>& paths, bool verbose,
                                       const Console& console) {
    const RecordingShare* first = nullptr;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const RecordingShare* share = parts[i].share.get();
        if (share != nullptr && first != nullptr && !are_of_one(first->report, share->report)) {
            return tl::unexpected(damaged(paths[i], "had another recording as " +
                                                        core::printable(parts[i].recording) +
                                                        " than another part of this run"));
        }
        first = first == nullptr ? share : first;
    }
    try {
        return Merging(parts, verbose, console).merge();
    } catch (const std::exception& wrong) {
        return tl::unexpected(
            damaged(paths.front(), std::string("or another part is damaged: ") + wrong.what()));
    }
}

}  // namespace isotick::program
