#include "job.hpp"

#include "../audit/probes/probe_json.hpp"
#include "../json/json.hpp"

#include <exception>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

tl::unexpected<core::Error> nonsense(const std::exception& thrown) {
    return core::fail(ErrorCode::simulation,
                      std::string("a worker's message cannot be read: ") + thrown.what());
}

// Reads a response of the form {"failed": error} or {"result": …}.
template <class T>
Result<T> parse_response(std::string_view bytes, T (*from)(const Json&)) {
    try {
        const Json json = Json::from_msgpack(bytes);
        if (const auto failed = json.find("failed"); failed != json.end()) {
            return tl::unexpected(error_from(*failed));
        }
        return from(json.at("result"));
    } catch (const std::exception& thrown) {
        return nonsense(thrown);
    }
}

// As MessagePack, since in JSON's text form paths and what a simulation says could not be any
// bytes.
std::string packed(const Json& json) {
    std::string bytes;
    Json::to_msgpack(json, bytes);
    return bytes;
}

}  // namespace

std::string to_bytes(const Job& job) {
    Json json{{"simulation", job.simulation.text()},
              {"is_recorded", job.simulation.is_recorded()},
              {"memory_limit", job.memory_limit}};
    if (const auto* trial = std::get_if<TrialPlan>(&job.plan)) {
        json["trial"] = to_json(*trial);
    } else if (const auto* record = std::get_if<RecordPlan>(&job.plan)) {
        json["record"] = to_json(*record);
    } else if (const auto* probe = std::get_if<ProbePlan>(&job.plan)) {
        json["probe"] = to_json(*probe);
    } else if (const auto* held = std::get_if<HeldTrial>(&job.plan)) {
        json["held"] = to_json(held->plan);
        json["before_frame"] = held->before_frame;
    } else if (std::holds_alternative<DropPlan>(job.plan)) {
        json["drop"] = true;
    }
    return packed(json);
}

Result<Job> parse_job(std::string_view bytes) {
    try {
        const Json json = Json::from_msgpack(bytes);
        auto name = json.at("simulation").get<std::string>();
        Job job{json.at("is_recorded").get<bool>() ? SimulationName::recorded(std::move(name))
                                                   : SimulationName::chosen(std::move(name)),
                json.at("memory_limit").get<std::uint64_t>(),
                {}};
        if (const auto trial = json.find("trial"); trial != json.end()) {
            job.plan = trial_plan_from(*trial);
        } else if (const auto record = json.find("record"); record != json.end()) {
            job.plan = record_plan_from(*record);
        } else if (const auto probe = json.find("probe"); probe != json.end()) {
            job.plan = probe_plan_from(*probe);
        } else if (const auto held = json.find("held"); held != json.end()) {
            job.plan =
                HeldTrial{trial_plan_from(*held), json.at("before_frame").get<std::uint64_t>()};
        } else if (json.contains("drop")) {
            job.plan = DropPlan{};
        } else {
            job.plan = FactsPlan{};
        }
        return job;
    } catch (const std::exception& thrown) {
        return nonsense(thrown);
    }
}

std::string run_job(const Job& job, const isotick_simulation_table& table, Progress& progress) {
    if (const auto* trial = std::get_if<TrialPlan>(&job.plan)) {
        return packed({{"result", to_json(run_trial(*trial, table, progress))}});
    }
    if (const auto* record = std::get_if<RecordPlan>(&job.plan)) {
        return packed({{"result", to_json(run_record(*record, table, progress))}});
    }
    if (const auto* probe = std::get_if<ProbePlan>(&job.plan)) {
        return packed({{"result", to_json(run_probe(*probe, table, progress))}});
    }
    return packed({{"result", to_json(facts_of(table))}});
}

std::string run_job(const HeldTrial& held, const isotick_simulation_table& table,
                    Progress& progress, const BranchPoint& branch) {
    return packed({{"result", to_json(run_branching_trial(held.plan, table, progress, branch))}});
}

std::string held_response(std::uint64_t ticks) {
    return packed({{"held", ticks}});
}

std::optional<std::uint64_t> parse_held_response(std::string_view bytes) {
    const Json json = Json::from_msgpack(bytes, true, false);
    const auto held = json.is_object() ? json.find("held") : json.end();
    return held != json.end() && held->is_number_unsigned()
               ? std::optional(held->get<std::uint64_t>())
               : std::nullopt;
}

std::string failed_response(const core::Error& error) {
    return packed({{"failed", to_json(error)}});
}

Result<TrialResult> parse_trial_response(std::string_view bytes) {
    return parse_response<TrialResult>(bytes, trial_result_from);
}

Result<RecordResult> parse_record_response(std::string_view bytes) {
    return parse_response<RecordResult>(bytes, record_result_from);
}

Result<ProbeResult> parse_probe_response(std::string_view bytes) {
    return parse_response<ProbeResult>(bytes, probe_result_from);
}

Result<SimulationFacts> parse_facts_response(std::string_view bytes) {
    return parse_response<SimulationFacts>(bytes, facts_from);
}

}  // namespace isotick::harness
