#include "probe_json.hpp"

#include "../../json/json.hpp"

namespace isotick::harness {

using Wire = nlohmann::json;

Json to_json(const ProbePlan& plan) {
    return {{"recording", plan.recording},
            {"environment", to_json(plan.environment)},
            {"kind", Wire(plan.kind)},
            {"most_ticks", plan.most_ticks},
            {"at", plan.at},
            {"run_on", plan.run_on},
            {"seed", core::to_hex(plan.seed)},
            {"ignored_parts", plan.ignored_parts},
            {"ranges", Wire(plan.ranges)},
            {"opaque", plan.opaque},
            {"names", plan.names},
            {"globals", Wire(plan.globals)},
            {"snapshot", plan.snapshot},
            {"fresh", plan.fresh},
            {"hang_ms", plan.hang_ms}};
}

ProbePlan probe_plan_from(const Json& json) {
    const Wire wire = json;
    ProbePlan plan;
    plan.recording = wire.at("recording").get<std::string>();
    plan.environment = settings_from(json.at("environment"));
    wire.at("kind").get_to(plan.kind);
    wire.at("most_ticks").get_to(plan.most_ticks);
    wire.at("at").get_to(plan.at);
    wire.at("run_on").get_to(plan.run_on);
    plan.seed = from_hex(json.at("seed"));
    wire.at("ignored_parts").get_to(plan.ignored_parts);
    wire.at("ranges").get_to(plan.ranges);
    wire.at("opaque").get_to(plan.opaque);
    wire.at("names").get_to(plan.names);
    wire.at("globals").get_to(plan.globals);
    wire.at("snapshot").get_to(plan.snapshot);
    wire.at("fresh").get_to(plan.fresh);
    wire.at("hang_ms").get_to(plan.hang_ms);
    return plan;
}

Json to_json(const ProbeResult& result) {
    return {{"verdict", to_string(result.verdict)},
            {"reason", result.reason},
            {"refused", result.refused ? to_json(*result.refused) : Json(nullptr)},
            {"work", result.work},
            {"capabilities", result.capabilities},
            {"liveness", Wire(result.liveness)},
            {"float_leaks", Wire(result.float_leaks)},
            {"restores", Wire(result.restores)},
            {"transplants", Wire(result.transplants)},
            {"types", Wire(result.types)},
            {"globals", Wire(result.globals)},
            {"poisons", Wire(result.poisons)},
            {"flips", Wire(result.flips)}};
}

ProbeResult probe_result_from(const Json& json) {
    const Wire wire = json;
    ProbeResult result;
    result.verdict = verdict_from(wire.at("verdict").get<std::string>());
    wire.at("reason").get_to(result.reason);
    if (const Json& refused = json.at("refused"); !refused.is_null()) {
        result.refused = error_from(refused);
    }
    wire.at("work").get_to(result.work);
    wire.at("capabilities").get_to(result.capabilities);
    wire.at("liveness").get_to(result.liveness);
    wire.at("float_leaks").get_to(result.float_leaks);
    wire.at("restores").get_to(result.restores);
    wire.at("transplants").get_to(result.transplants);
    wire.at("types").get_to(result.types);
    wire.at("globals").get_to(result.globals);
    wire.at("poisons").get_to(result.poisons);
    wire.at("flips").get_to(result.flips);
    return result;
}

}  // namespace isotick::harness
