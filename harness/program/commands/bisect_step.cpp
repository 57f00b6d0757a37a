// isotick bisect step: one step of somebody else's search, as `git bisect run` takes it.

#include "../../src/report/field_rows.hpp"
#include "../command/command.hpp"
#include "../output/text.hpp"
#include "bisect_json.hpp"
#include "bisect_options.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::program {
namespace {

using core::Result;
using harness::bisect::Expectation;
using harness::bisect::Finding;
using harness::bisect::Fit;
using harness::bisect::Judgement;

constexpr int kGood = 0;
constexpr int kStepFound = 1;
constexpr int kSkip = 125;
constexpr int kAbort = 128;  // and more: git ends the search

struct StepOptions : JudgingText {
    std::string flaky = "skip";
};

/// What a step says of its revision, and why.
struct Step {
    Judgement judgement;
    int code = kGood;
    std::string why{};  // of an exit code that the finding alone does not explain
};

Step judge_divergence(Judgement judgement, const std::optional<Expectation>& expectation) {
    switch (expectation ? expectation->fits(*judgement.signature) : Fit::yes) {
        case Fit::yes:
            return {std::move(judgement), kStepFound};
        case Fit::absent:
            return {std::move(judgement), kGood, "what is looked for does not differ there"};
        case Fit::elsewhere:
            return {std::move(judgement), kSkip, "this is not the divergence looked for"};
        case Fit::unknown:
            break;
    }
    return {std::move(judgement), kSkip, "which fields differ is not known here"};
}

Step exit_with(Judgement judgement, const std::optional<Expectation>& expectation, bool flaky_bad) {
    switch (judgement.finding) {
        case Finding::identical:
            return {std::move(judgement), kGood};
        case Finding::diverged:
            return judge_divergence(std::move(judgement), expectation);
        case Finding::nondeterministic:
            return {std::move(judgement), flaky_bad ? kStepFound : kSkip};
        case Finding::crashed:
        case Finding::not_loading:
        case Finding::another_simulation:
        case Finding::not_comparable:
            break;
    }
    return {std::move(judgement), kSkip};
}

const char* meaning(int code) {
    return code == kGood ? "good" : code == kStepFound ? "bad" : "cannot be judged";
}

std::string judged_step_text(const StepOptions& options,
                             const std::optional<Expectation>& expectation, const Step& step) {
    const Judgement& judgement = step.judgement;
    std::string text = heading(options.recording + " with " + options.simulation);
    text += row("finding", to_string(judgement.finding));
    text += row("at", judgement.signature ? to_string(*judgement.signature) : "");
    text += row("looked for", expectation ? to_string(*expectation) : "");
    text += row("reason", judgement.reason.empty() ? step.why : judgement.reason);
    text += harness::differing_rows({}, judgement.fields, "recorded → computed", kMoreFields);
    return text + "exit " + std::to_string(step.code) + ": " + meaning(step.code) + "\n";
}

Result<Step> judge_step(const StepOptions& options, const std::optional<Expectation>& expectation,
                        Console& console) {
    if (expectation && !expectation->fields.empty() && options.recorded_by.empty()) {
        return core::fail(core::ErrorCode::usage,
                          "--expect: a recording holds no fields; name the build that made it "
                          "with --sim-a, or expect a tick alone");
    }
    if ((!options.only.empty() || !options.ignore.empty()) && options.recorded_by.empty()) {
        return core::fail(core::ErrorCode::usage,
                          "--only and --ignore need --sim-a: a recording holds no fields");
    }
    ISOTICK_TRY_ASSIGN(auto how, judge_options(options, console));
    if (!options.recorded_by.empty()) {
        how.good = harness::SimulationName::chosen(options.recorded_by);
    }
    ISOTICK_TRY_ASSIGN(const auto judge, harness::bisect::Judge::make(std::move(how)));
    const auto most = expectation ? expectation->ticks_done : std::nullopt;
    auto judged = judge.judge(harness::SimulationName::chosen(options.simulation), most);
    if (judged && judged->finding == Finding::another_simulation) {
        return core::fail(core::ErrorCode::usage, judged->reason);
    }
    return judged ? exit_with(*std::move(judged), expectation, options.flaky == "bad")
                  : Result<Step>(tl::unexpected(about(options.recording, judged.error())));
}

int abort_with(const core::Error& error, Console& console) {
    console.error(describe(error));
    return kAbort;
}

int run_step(const StepOptions& options, Console& console) {
    const auto expectation = expect_option(options.expect);
    if (!expectation) {
        return abort_with(expectation.error(), console);
    }
    const auto step = judge_step(options, *expectation, console);
    if (!step) {
        return abort_with(step.error(), console);
    }
    if (!step->judgement.printed.empty()) {
        console.printed("the simulation", step->judgement.printed);
    }
    console.print(options.json
                      ? step_json(options.recording, *expectation, step->judgement, step->code)
                      : judged_step_text(options, *expectation, *step));
    return step->code;
}

Action declare_step(OptionList& list, CommandFrame& frame) {
    auto options = common_options<StepOptions>(list, frame);
    list.argument("recording", options->recording, "The recording");
    list.required("recording");
    list.text("--sim", options->simulation, "NAME|PATH", "The build to judge");
    list.required("--sim", frame.only_simulation().empty());
    options->simulation = frame.only_simulation();
    list.text("--sim-a", options->recorded_by, "NAME|PATH",
              "The build that made the recording: first ticks are exact then, and fields known");
    list.choice("--flaky", options->flaky, {"skip", "bad"},
                "What a nondeterministic build counts as");
    add_judging(list, *options);
    list.footer(
        "Exit codes, as git bisect run takes them:\n"
        "  0 identical                      125 cannot be judged: skip this commit\n"
        "  1 diverged, as --expect says     128 wrong usage, or a file that cannot be read");
    return [options, &frame] { return run_step(*options, frame.console); };
}

}  // namespace

extern const Command kBisectStepCommand;
const Command kBisectStepCommand{
    "bisect step", "Judge one build, with an exit code that git bisect run understands",
    "Example:\n"
    "  git bisect run sh -c 'make || exit 125; isotick bisect step s.isotick --sim ./game.so'\n"
    "  isotick bisect step s.isotick --sim ./game.so --expect 'tick 1456'",
    declare_step, kAbort};

}  // namespace isotick::program
