#include "review.hpp"

#include "../../src/report/replay_text.hpp"
#include "../../src/system/files.hpp"
#include "../command/command.hpp"
#include "../json/json_pieces.hpp"
#include "../options/options.hpp"
#include "../output/output_file.hpp"
#include "../output/text.hpp"
#include "diff.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/reader.hpp>
#include <isotick/replay/repair.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <optional>
#include <pwd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace isotick::program {

using core::ErrorCode;
using core::Result;
using harness::Verdict;

// Proposing.

namespace {

// The nominal replay alone decides: what fails only under other frames or axes is a fault of the
// build, not another golden.
std::string why_not_proposed(const harness::VerifyReport& report) {
    const bool nominal_fails = !report.failures.empty() && report.failures.front().number == 0;
    return report.unfinished ? "the recording is unfinished"
           : report.verdict != Verdict::diverged
               ? "the verdict is " + std::string(to_string(report.verdict))
           : !nominal_fails
               ? "its nominal replay gives the recorded hashes, so the failure is a bug"
               : "";
}

harness::RecordPlan plan_again(const Verified& verified, const Prepared& prepared,
                               const std::string& folder) {
    const replay::RecordingHead& head = verified.report.head;
    harness::RecordPlan plan;
    plan.path = folder + "/proposed.isotick";
    plan.appearance = replay::Appearance::complete;
    plan.setup = harness::setup_of(head, prepared.environment);
    plan.ticks = verified.report.ticks;
    plan.inputs = harness::InputSource::recording;
    plan.recorded_inputs = verified.report.recording;
    plan.hash_every = head.hash_every;
    plan.parts_every = head.parts_every;
    plan.notes = head.notes;
    drive_as_noted(head.notes, plan);
    return plan;
}

Result<void> remove_file(const std::string& path) {
    std::error_code error;
    std::filesystem::remove(path, error);
    return error ? core::fail(ErrorCode::io, path + ": cannot be removed: " + error.message())
                 : Result<void>();
}

}  // namespace

Result<void> propose(const Verified& verified, const VerifyCommandOptions& options,
                     const harness::VerifyOptions& usual, const Prepared& prepared,
                     Console& console) {
    const std::string& recording = verified.report.recording;
    if (verified.report.verdict == Verdict::identical) {
        return {};
    }
    if (const std::string why_not = why_not_proposed(verified.report); !why_not.empty()) {
        console.remark(recording + ": nothing is proposed: " + why_not);
        return {};
    }
    const std::string pending = recording + kPending;
    ISOTICK_TRY(check_output(pending, true, options.asked));
    // Elsewhere until it is verified, so that no other is left, however this ends.
    ISOTICK_TRY_ASSIGN(const auto folder, harness::TemporaryFolder::make(harness::temporary_place(),
                                                                         "isotick-", 0700));
    harness::RecordPlan plan = plan_again(verified, prepared, folder.path());
    ISOTICK_TRY_ASSIGN(const auto facts, facts_from_worker(verified.simulation, prepared.worker));
    if (!facts.build_id.empty()) {
        ISOTICK_TRY(plan.notes.set(harness::kBuildNote, facts.build_id));
    }
    ISOTICK_TRY_ASSIGN(const auto recorded,
                       record_in_worker(verified.simulation, plan, prepared.worker));
    if (recorded.error) {
        return tl::unexpected(about(pending, *recorded.error));
    }
    ISOTICK_TRY_ASSIGN(const auto again, verify_recording(plan.path, options, usual, prepared));
    if (again.report.verdict != Verdict::identical) {
        const harness::VerifyReport& report = again.report;
        console.remark(fmt::format(
            "{}: nothing is proposed: this build does not reproduce its own recording: {}{}",
            recording, to_string(report.verdict),
            report.reasons.empty() ? " (" + trials_text(report) + ")"
                                   : ": " + report.reasons.front()));
        return {};
    }
    ISOTICK_TRY(replay::repair(plan.path, pending, {.overwrite = true, .notes = std::nullopt}));
    console.remark(fmt::format("{}: proposed as {}; see isotick review", recording, pending));
    return {};
}

// Reviewing.

namespace {

constexpr const char* kAcceptedNote = "isotick.accepted";

struct ReviewOptions : DiffOptions {
    std::vector<std::string> places;
    bool list = false;
    bool accept = false;
    bool reject = false;
    std::string reason;
};

struct Pending {
    std::string recording;
    std::string proposed;
    replay::Comparison comparison;
    std::optional<harness::Explanation> difference;  ///< where both builds were named
};

// Of a folder all that are in it.
Result<std::vector<std::string>> recordings_at(const std::vector<std::string>& places) {
    std::vector<std::string> found;
    for (std::string place : places) {
        std::error_code error;
        if (std::filesystem::is_directory(place, error)) {
            const std::size_t before = found.size();
            for (std::filesystem::directory_iterator each(place, error), end; !error && each != end;
                 each.increment(error)) {
                if (each->path().extension() == kPending) {
                    auto path = each->path();
                    found.push_back(path.replace_extension().lexically_normal().string());
                }
            }
            if (error) {
                return core::fail(ErrorCode::io, place + ": " + error.message());
            }
            std::sort(found.begin() + static_cast<std::ptrdiff_t>(before), found.end());
            continue;
        }
        if (place.ends_with(kPending)) {
            place.resize(place.size() - std::string_view(kPending).size());
        }
        if (!std::filesystem::exists(place + kPending, error)) {
            return core::fail(ErrorCode::usage, place + ": nothing is proposed for it");
        }
        found.push_back(std::move(place));
    }
    return found;
}

Result<Pending> look_at(const std::string& recording, const ReviewOptions& options,
                        Console& console) {
    Pending pending{recording, recording + kPending, {}, {}};
    ISOTICK_TRY_ASSIGN(pending.comparison, replay::compare(recording, pending.proposed));
    if (pending.comparison.session) {
        return core::fail(ErrorCode::usage, pending.proposed + " is of another session than " +
                                                recording + ": propose it again");
    }
    if (pending.comparison.b.damage) {
        core::Error error{ErrorCode::damaged, pending.comparison.b.damage->reason, {}, {}, {}};
        error.file = pending.proposed;
        return tl::unexpected(std::move(error));
    }
    if (!options.simulation_a.empty()) {
        DiffOptions both = options;
        both.a = recording;
        both.b = pending.proposed;
        both.fields = options.fields.empty() ? std::to_string(harness::ExplainOptions().most_fields)
                                             : options.fields;
        ISOTICK_TRY_ASSIGN(pending.difference, first_difference(both, pending.comparison, console));
    }
    return pending;
}

std::string changed_text(const replay::Comparison& comparison) {
    if (!comparison.hashes) {
        return "nothing: it has the same hashes";
    }
    const replay::HashDifference& hashes = *comparison.hashes;
    const std::uint64_t first = hashes.last_equal ? hashes.last_equal->value + 1 : 0;
    const std::string when =
        !hashes.tick ? "the initial state"
        : hashes.tick->value == first
            ? fmt::format("from tick {} on", first)
            : fmt::format("first at one of the ticks {} to {}", first, hashes.tick->value);
    const std::string last =
        hashes.last_equal ? fmt::format("; the same through tick {}", hashes.last_equal->value)
                          : "";
    const std::string parts = core::joined(
        hashes.parts, ", ", [](const replay::PartDifference& part) { return part.name; });
    return when + (parts.empty() ? "" : ", in " + parts) + last;
}

std::string pending_text(const Pending& pending) {
    std::string text = heading(pending.recording);
    text += row("changed", changed_text(pending.comparison));
    if (pending.difference) {
        harness::PageRow fields =
            harness::differing_row(pending.difference->parts, pending.difference->fields,
                                   "recorded → proposed", kMoreFields, false);
        text += row("first", harness::describe_state(pending.difference->ticks_done));
        text += harness::page_text({fields});
    }
    return text;
}

Json pending_json(const Pending& pending) {
    const auto& hashes = pending.comparison.hashes;
    Json parts = Json::array();
    Json fields = Json::array();
    if (hashes) {
        for (const replay::PartDifference& part : hashes->parts) {
            parts.push_back(part.name);
        }
    }
    if (pending.difference && pending.difference->fields.known) {
        for (const core::FieldDifference& field : pending.difference->fields.differences.listed) {
            fields.push_back(
                {{"path", field.path}, {"recorded", field.before}, {"proposed", field.after}});
        }
    }
    return {{"recording", pending.recording},
            {"proposed", pending.proposed},
            {"tick", hashes && hashes->tick ? Json(hashes->tick->value) : Json(nullptr)},
            {"parts", std::move(parts)},
            {"fields", std::move(fields)}};
}

std::string user_name() {
    const passwd* const user = getpwuid(geteuid());
    return user == nullptr ? fmt::format("user {}", geteuid()) : user->pw_name;
}

Result<void> accept(const Pending& pending, const std::string& reason) {
    ISOTICK_TRY_ASSIGN(const auto proposed, replay::Reader::open(pending.proposed));
    core::Settings notes = proposed.head().notes;
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    ISOTICK_TRY(notes.set(kAcceptedNote, fmt::format("{:%Y-%m-%d %H:%M} UTC by {}: {}",
                                                     fmt::gmtime(now), user_name(), reason)));
    ISOTICK_TRY_ASSIGN(const auto written,
                       replay::repair(pending.proposed, pending.recording,
                                      {.overwrite = true, .notes = std::move(notes)}));
    if (!written.complete()) {  // it was whole when it was compared
        return core::fail(ErrorCode::damaged, pending.proposed + " is not whole any more");
    }
    return remove_file(pending.proposed);
}

// `accept`, `reject` or `skip`, as the user types it; skip at the end of the input.
char ask(const Pending& pending) {
    for (std::string line; true;) {
        fmt::print("{}[a]ccept, [r]eject, [s]kip? ", core::printable_lines(pending_text(pending)));
        std::fflush(stdout);
        if (!std::getline(std::cin, line)) {
            return 's';
        }
        if (!line.empty() && std::string_view("accept").starts_with(line)) {
            return 'a';
        }
        if (!line.empty() && std::string_view("reject").starts_with(line)) {
            return 'r';
        }
        if (line.empty() || std::string_view("skip").starts_with(line)) {
            return 's';
        }
    }
}

std::string ask_reason() {
    std::string reason;
    fmt::print("why was the change intended? ");
    std::fflush(stdout);
    std::getline(std::cin, reason);
    return reason;
}

bool is_ci() {
    const char* const value = std::getenv("CI");
    return value != nullptr && *value != '\0' && std::string_view(value) != "false";
}

Result<void> check_review(const ReviewOptions& options) {
    const int chosen =
        int{options.accept} + int{options.reject} + int{options.list || options.json};
    if (chosen > 1) {
        return core::fail(ErrorCode::usage, "choose one of --accept, --reject, --list");
    }
    if (options.accept && options.reason.empty()) {
        return core::fail(ErrorCode::usage, "--accept: say why, with --reason");
    }
    if (options.accept && is_ci()) {
        return core::fail(ErrorCode::usage,
                          "--accept: CI is set, and a job accepts nothing: a person does");
    }
    const bool can_ask = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !is_ci();
    return chosen == 1 || can_ask
               ? Result<void>()
               : core::fail(ErrorCode::usage,
                            "there is nobody to ask: choose --accept, --reject or --list");
}

Result<void> settle(const Pending& pending, const ReviewOptions& options, Console& console) {
    const char answer = options.accept ? 'a' : ask(pending);
    const std::string reason = !options.accept && answer == 'a' ? ask_reason() : options.reason;
    if (answer == 's' || (answer == 'a' && reason.empty())) {
        console.print(row("skipped", pending.recording));
        return {};
    }
    if (answer == 'r') {
        ISOTICK_TRY(remove_file(pending.proposed));
        console.print(row("rejected", pending.recording));
        return {};
    }
    ISOTICK_TRY(accept(pending, reason));
    console.print(row("accepted", pending.recording));
    return {};
}

// All are looked at before anything is changed. What cannot be looked at is told of, and the others
// go on.
std::vector<Pending> look_at_all(const std::vector<std::string>& recordings,
                                 const ReviewOptions& options, int& code, Console& console) {
    std::vector<Pending> all;
    for (const std::string& recording : recordings) {
        auto pending = look_at(recording, options, console);
        if (pending) {
            all.push_back(*std::move(pending));
        } else {
            code = std::max(code, fail_with(pending.error(), console));
        }
    }
    return all;
}

Result<int> review(const ReviewOptions& options, Console& console) {
    ISOTICK_TRY(check_review(options));
    ISOTICK_TRY_ASSIGN(const auto recordings, recordings_at(options.places));
    if (options.reject) {  // whatever is in them
        for (const std::string& recording : recordings) {
            ISOTICK_TRY(remove_file(recording + kPending));
            console.print(row("rejected", recording));
        }
        return 0;
    }
    int code = 0;
    const std::vector<Pending> all = look_at_all(recordings, options, code, console);
    if (options.json) {
        Json list = Json::array();
        std::ranges::transform(all, std::back_inserter(list), pending_json);
        console.print(document({{"pending", std::move(list)}}));
        return code;
    }
    for (const Pending& pending : all) {
        if (options.list) {
            console.print(pending_text(pending));
        } else {
            ISOTICK_TRY(settle(pending, options, console));
        }
    }
    if (recordings.empty() || options.list) {
        console.print(counted(all.size(), "recording") + " proposed\n");
    }
    return code;
}

Action declare_review(OptionList& list, CommandFrame& frame) {
    auto options = common_options<ReviewOptions>(list, frame);
    list.arguments("recordings", options->places, "Recordings or folders to review");
    list.flag("--list", options->list, "Only show what is proposed");
    list.flag("--accept", options->accept, "Accept all; needs --reason");
    list.flag("--reject", options->reject, "Remove what is proposed");
    list.text("--reason", options->reason, "TEXT", "Why the change was intended; kept as a note");
    list.text("--sim-a", options->simulation_a, "NAME|PATH",
              "The build that made the recordings, to see which fields changed");
    add_simulation(list, *options, "The build that proposes; default: what the recordings name");
    list.text("--fields", options->fields, "NUMBER|all",
              "With --sim-a: how many changed fields to list of each kind; default: 3");
    add_worker(list, options->worker, false);
    return [options, &frame] {
        const auto code = review(*options, frame.console);
        return code ? *code : fail_with(code.error(), frame.console);
    };
}

}  // namespace

extern const Command kReviewCommand;
const Command kReviewCommand{
    "review", "Accept or reject recordings that verify --propose made",
    "Example:\n"
    "  isotick verify recordings/*.isotick --propose\n"
    "  isotick review recordings --list\n"
    "  isotick review recordings/boss*.isotick --accept --reason \"softer springs\"\n"
    "  isotick review recordings --reject",
    declare_review};

}  // namespace isotick::program
