#include "bisect_options.hpp"

#include "../../src/bisect/by_fields.hpp"
#include "../options/options.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/harness/capture.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

namespace isotick::program {
namespace {

namespace fs = std::filesystem;
using core::ErrorCode;
using core::Result;

// Where caches are kept (XDG Base Directory Specification); none where nothing says that.
Result<fs::path> cache_folder() {
    const auto folder_of = [](const char* variable) {
        const char* value = std::getenv(variable);
        return fs::path(value == nullptr ? "" : value);
    };
    const fs::path cache = folder_of("XDG_CACHE_HOME");
    if (cache.is_absolute()) {
        return cache;
    }
    const fs::path home = folder_of("HOME");
    return home.is_absolute() ? Result<fs::path>(home / ".cache")
                              : core::fail(ErrorCode::usage,
                                           "there is no HOME to keep builds in; name a folder "
                                           "with --work");
}

// One folder for each place.
Result<fs::path> work_folder(const std::string& given, const std::string& place) {
    if (!given.empty()) {
        return given;
    }
    std::error_code ignored;
    const std::string full = fs::weakly_canonical(place, ignored).string();
    return cache_folder().map([&](const fs::path& cache) {
        return cache / "isotick" / "bisect" /
               core::to_hex(core::hash_bytes(std::as_bytes(std::span(full))));
    });
}

}  // namespace

Result<std::string> make_work_folder(const std::string& given, const std::string& place) {
    ISOTICK_TRY_ASSIGN(const auto folder, work_folder(given, place));
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        return core::fail(ErrorCode::io, "--work " + folder.string() + ": " + error.message());
    }
    return fs::canonical(folder, error).string();
}

namespace {

using core::Result;
using harness::bisect::Expectation;

core::Error of_judge_option(const char* option, core::Error error) {
    error.message = std::string(option) + ": " + error.message;
    return error;
}

// As the user says, else as the recording's failing case is driven, else nominal.
Result<harness::Drive> judged_drive(const JudgingText& text) {
    if (!text.drive.empty()) {
        return harness::parse_drive(text.drive, harness::Captures().resolver())
            .map_error(
                [](core::Error error) { return of_judge_option("--drive", std::move(error)); });
    }
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(text.recording));
    const auto repro = reader.head().notes.find(harness::kReproNote);
    return repro ? harness::parse_drive_of_file(*repro).map_error(
                       [&](core::Error error) { return about(text.recording, std::move(error)); })
                 : harness::Drive();
}

Result<std::vector<std::string>> fields_of(const char* option,
                                           const std::vector<std::string>& lists) {
    std::vector<std::string> kinds;
    for (const std::string& list : lists) {
        auto parsed = harness::bisect::parse_field_names(list);
        if (!parsed) {
            return tl::unexpected(of_judge_option(option, parsed.error()));
        }
        kinds.insert(kinds.end(), parsed->begin(), parsed->end());
    }
    return kinds;
}

}  // namespace

void add_judging(OptionList& list, JudgingText& text) {
    list.text("--expect", text.expect, "WHAT",
              "Look only for this divergence: 'tick 1456, units[*].health', or part of it");
    add_replaying(list, text);
}

void add_replaying(OptionList& list, JudgingText& text) {
    add_settings(list, "--environment", text.environment,
                 "Setting for the simulation, never recorded; repeatable");
    add_with_environment(list, text);
    list.texts("--only", text.only, "FIELDS",
               "Compare only these fields: 'units, score'; repeatable");
    list.texts("--ignore", text.ignore, "FIELDS",
               "Do not compare these: 'movers[*].special'; repeatable");
    list.text("--drive", text.drive, "LINE",
              "Loop, schedule, and axes in one line; default: the recording's, or nominal");
    list.text("--fields", text.fields, "NUMBER|all",
              "Differing fields to list per kind (units[*].x); default: 3; JSON: all");
    add_worker(list, text.worker, false);
}

Result<std::optional<Expectation>> expect_option(const std::string& text) {
    if (text.empty()) {
        return std::nullopt;
    }
    return Expectation::parse(text)
        .map([](Expectation&& expectation) { return std::optional(std::move(expectation)); })
        .map_error([](core::Error error) { return of_judge_option("--expect", std::move(error)); });
}

Result<harness::bisect::JudgeOptions> judge_options(const JudgingText& text, Console& console) {
    harness::bisect::JudgeOptions options;
    options.recording = text.recording;
    ISOTICK_TRY_ASSIGN(options.drive, judged_drive(text));
    ISOTICK_TRY_ASSIGN(options.environment, settings_option("--environment", text.environment));
    ISOTICK_TRY_ASSIGN(options.worker, worker_options(text.worker, "replay", console));
    ISOTICK_TRY_ASSIGN(options.most_fields, fields_option(text.fields, text.json));
    options.worker.on_progress = nullptr;
    ISOTICK_TRY_ASSIGN(options.choice.only, fields_of("--only", text.only));
    ISOTICK_TRY_ASSIGN(options.choice.ignored, fields_of("--ignore", text.ignore));
    return options;
}

}  // namespace isotick::program
