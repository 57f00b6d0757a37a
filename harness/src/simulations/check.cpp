#include "check.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/check.hpp>

#include <algorithm>
#include <exception>

namespace isotick::harness {
namespace {

using check::Check;
using check::Stage;
using core::ErrorCode;
using core::Result;

std::vector<Check> all_checks() {
    std::vector<Check> all;
    for (const auto& checks :
         {check::session_checks(), check::message_checks(), check::error_checks(),
          check::refusal_checks(), check::look_checks(), check::snapshot_checks(),
          check::input_checks(), check::end_checks()}) {
        all.insert(all.end(), checks.begin(), checks.end());
    }
    return all;
}

// Why a check cannot be played; empty where it can be.
std::string obstacle(const Check& check, const Stage& stage, const std::string& stopped_by) {
    if (!stopped_by.empty()) {
        return "not played, since " + stopped_by + " failed";
    }
    if ((stage.facts.verbs & check.needs) != check.needs) {
        return "not offered";
    }
    return check.repeatable && !stage.repeatable ? "not played, since same-again failed" : "";
}

/// Plays the check; what came of it is in `result`. Fails where no check can be played.
Result<void> play(const Check& check, Stage& stage, CheckResult& result) {
    stage.printed.clear();
    const auto played = check.play(stage);
    if (played) {
        return {};
    }
    if (played.error().code == ErrorCode::io) {
        return played;
    }
    if (played.error().code == ErrorCode::usage) {
        return core::fail(ErrorCode::simulation,
                          "'" + stage.command + "' cannot be started: " + played.error().message);
    }
    result.outcome = CheckOutcome::failed;
    result.came = describe(played.error());
    result.advice = check.advice;
    result.printed = stage.printed.text();
    return {};
}

Result<CheckReport> play_all(Stage& stage) {
    CheckReport report;
    std::string stopped_by;
    for (const Check& check : all_checks()) {
        CheckResult& result = report.checks.emplace_back();
        result.name = check.name;
        result.expected = check.expected;
        result.came = obstacle(check, stage, stopped_by);
        if (!result.came.empty()) {
            result.outcome = CheckOutcome::left_out;
            continue;
        }
        ISOTICK_TRY(play(check, stage, result));
        if (result.outcome == CheckOutcome::failed && check.essential) {
            stopped_by = check.name;
        }
    }
    report.simulation = stage.facts.name;
    return report;
}

}  // namespace

namespace check {

tl::unexpected<core::Error> came(std::string what) {
    return core::fail(ErrorCode::simulation, std::move(what));
}

}  // namespace check

std::size_t CheckReport::count(CheckOutcome outcome) const {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(),
                      [outcome](const CheckResult& result) { return result.outcome == outcome; }));
}

Result<CheckReport> check_process(const std::string& command, const CheckOptions& options) {
    try {
        Stage stage{command, options, {}, {}, {}, {}, {}};
        return play_all(stage);
    } catch (const std::exception& thrown) {
        return tl::unexpected(core::caught(thrown, ErrorCode::limit, "the check ended: "));
    }
}

}  // namespace isotick::harness
