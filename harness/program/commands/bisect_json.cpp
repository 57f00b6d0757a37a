#include "bisect_json.hpp"

namespace isotick::program {

using harness::bisect::CommitFacts;
using harness::bisect::Judgement;
using harness::bisect::Regression;
using harness::bisect::Signature;
using harness::bisect::Visit;

namespace {

Json commit_json(const CommitFacts& commit) {
    return {{"hash", commit.hash},
            {"author_date", commit.author_date},
            {"subject", commit.subject},
            {"files", commit.files}};
}

Json visit_json(const Visit& visit) {
    return {{"commit", visit.commit},
            {"verdict", to_string(visit.standing)},
            {"signature", signature_json(visit.signature)},
            {"reason", text_json(visit.reason)},
            {"from_cache", visit.from_cache},
            {"by_fields", visit.by_fields},
            {"log", visit.log}};
}

Json regression_json(const Regression& regression) {
    Json found = Json::array();
    for (const CommitFacts& commit : regression.found) {
        found.push_back(commit_json(commit));
    }
    Json steps = Json::array();
    for (const Visit& visit : regression.steps) {
        steps.push_back(visit_json(visit));
    }
    const Json changed = regression.write && regression.write->changed
                             ? Json{{"file", regression.write->changed->file},
                                    {"line", regression.write->changed->line}}
                             : Json(nullptr);
    return {{"expected", to_string(regression.expected)},
            {"fix", regression.is_fix},
            {"found", std::move(found)},
            {"signature", signature_json(regression.change.signature)},
            {"fields", fields_json(regression.change.fields)},
            {"steps", std::move(steps)},
            {"write",
             writes_json(regression.write ? std::optional(regression.write->write) : std::nullopt)},
            {"changed", changed},
            {"log", regression.log}};
}

}  // namespace

Json signature_json(const std::optional<Signature>& signature) {
    if (!signature) {
        return nullptr;
    }
    return {{"tick", last_tick_json(signature->ticks_done)},
            {"exact", is_exact(*signature)},
            {"fields_known", signature->fields_known},
            {"fields", signature->fields}};
}

std::string step_json(const std::string& recording,
                      const std::optional<harness::bisect::Expectation>& expectation,
                      const Judgement& judgement, int code) {
    return document({{"recording", recording},
                     {"expected", expectation ? Json(to_string(*expectation)) : Json(nullptr)},
                     {"finding", to_string(judgement.finding)},
                     {"reason", text_json(judgement.reason)},
                     {"signature", signature_json(judgement.signature)},
                     {"fields", fields_json(judgement.fields)},
                     {"exit_code", code}});
}

std::string commits_json(const harness::bisect::BisectReport& report,
                         const CommitsOptions& options) {
    CommitsOptions shared = options;
    shared.environment = shared_environment(options);
    Json regressions = Json::array();
    for (const Regression& regression : report.regressions) {
        regressions.push_back(regression_json(regression));
    }
    const bool for_fix = !options.old_end.empty();
    return document(
        {{"recording", options.recording.empty() ? options.inputs_of : options.recording},
         {"recorded_again", report.recorded_again},
         {"repository", options.repository},
         {"good", commit_json(for_fix ? report.bad : report.good)},
         {"bad", commit_json(for_fix ? report.good : report.bad)},
         {"builds", report.builds},
         {"from_cache", report.reused},
         {"regressions", std::move(regressions)},
         {"again", again(shared)}});
}

}  // namespace isotick::program
