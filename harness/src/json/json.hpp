#pragma once
// The types of the harness as JSON: between processes, and for machines that read reports.
// Hashes are hexadecimal strings, since 64 bits do not survive every JSON reader as a number.

#include <isotick/core/result.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/harness/trial.hpp>

#include <nlohmann/json.hpp>

namespace isotick::harness {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json to_json(const core::Error& error);
[[nodiscard]] Json to_json(const core::Settings& settings);
[[nodiscard]] Json to_json(const TrialStatistics& statistics);
[[nodiscard]] Json to_json(const HostCalls& calls);
[[nodiscard]] Json to_json(const FrameContext& context);
[[nodiscard]] Json to_json(const Rerun& rerun);
[[nodiscard]] Json to_json(const Place& place);
[[nodiscard]] Json to_json(const StateRecord& state);
[[nodiscard]] Json to_json(const Divergence& divergence);
[[nodiscard]] Json to_json(const std::vector<AxisValue>& settings);
[[nodiscard]] Json to_json(const InputEdits& edits);
[[nodiscard]] Json to_json(const TrialPlan& plan);
[[nodiscard]] Json to_json(const RecordPlan& plan);
[[nodiscard]] Json to_json(const TrialResult& result);
[[nodiscard]] Json to_json(const RecordResult& result);
[[nodiscard]] Json to_json(const SimulationFacts& facts);
[[nodiscard]] Json to_json(const std::vector<BlindSpot>& blind_spots);

// The way back. These throw nlohmann::json::exception or std::invalid_argument on anything that
// to_json did not write; callers turn that into an Error.
[[nodiscard]] TrialPlan trial_plan_from(const Json& json);
[[nodiscard]] RecordPlan record_plan_from(const Json& json);
[[nodiscard]] TrialResult trial_result_from(const Json& json);
[[nodiscard]] RecordResult record_result_from(const Json& json);
[[nodiscard]] SimulationFacts facts_from(const Json& json);
[[nodiscard]] core::Error error_from(const Json& json);
[[nodiscard]] HostCalls host_calls_from(const Json& json);
[[nodiscard]] Verdict verdict_from(std::string_view text);

// Pieces that both ways of plans and results share.
[[nodiscard]] core::Settings settings_from(const Json& json);
[[nodiscard]] InputEdits input_edits_from(const Json& json);
[[nodiscard]] std::uint64_t from_hex(const Json& json);

/// The value of `key` as T, or none where it is null or missing.
template <class T>
[[nodiscard]] std::optional<T> optional_from(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) {
        return std::nullopt;
    }
    return found->template get<T>();
}

template <class T>
[[nodiscard]] Json optional_json(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

}  // namespace isotick::harness
