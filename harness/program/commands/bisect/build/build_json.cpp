#include "build_json.hpp"

#include "../bisect_json.hpp"

namespace isotick::program {
namespace {

using harness::bisect::BuildReport;
using harness::bisect::FunctionCulprit;
using harness::bisect::LeftOut;
using harness::bisect::UnitCulprit;

Json culprit_json(const UnitCulprit& culprit) {
    Json functions = Json::array();
    for (const FunctionCulprit& one : culprit.functions) {
        functions.push_back({{"functions", one.functions},
                             {"reached", one.reached},
                             {"signature", signature_json(one.judgement.signature)}});
    }
    return {{"files", culprit.files},
            {"signature", signature_json(culprit.judgement.signature)},
            {"fields", fields_json(culprit.judgement.fields)},
            {"functions", std::move(functions)},
            {"functions_unknown", text_json(culprit.functions_unknown)}};
}

Json left_out_json(const LeftOut& unit) {
    return {{"file", unit.file}, {"reason", unit.reason}, {"log", unit.log}};
}

}  // namespace

std::string build_json(const BuildReport& report, const BuildOptions& options) {
    Json culprits = Json::array();
    for (const UnitCulprit& culprit : report.culprits) {
        culprits.push_back(culprit_json(culprit));
    }
    Json left_out = Json::array();
    for (const LeftOut& unit : report.left_out) {
        left_out.push_back(left_out_json(unit));
    }
    const bool differs = !report.culprits.empty();
    BuildOptions shared = options;
    shared.environment = shared_environment(options);
    return document({{"recording", options.recording},
                     {"with", options.other},
                     {"verdict", differs ? "diverged" : "identical"},
                     {"recorded_again", report.recorded_again},
                     {"units", report.units},
                     {"differing", report.differing},
                     {"left_out", std::move(left_out)},
                     {"signature", signature_json(report.other.judgement.signature)},
                     {"culprits", std::move(culprits)},
                     {"explains_all", explains_all(report)},
                     {"rest_unknown", report.rest_unknown},
                     {"compiled", report.compiled},
                     {"from_cache", report.from_cache},
                     {"unit_links", report.unit_links},
                     {"function_links", report.function_links},
                     {"again", again(shared)}});
}

}  // namespace isotick::program
