#include "json.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

namespace isotick::harness {
namespace {

constexpr std::array kErrorCodes{std::pair{core::ErrorCode::usage, "usage"},
                                 std::pair{core::ErrorCode::io, "io"},
                                 std::pair{core::ErrorCode::damaged, "damaged"},
                                 std::pair{core::ErrorCode::version, "version"},
                                 std::pair{core::ErrorCode::limit, "limit"},
                                 std::pair{core::ErrorCode::simulation, "simulation"}};

constexpr std::array kVerdicts{Verdict::identical,   Verdict::diverged,  Verdict::nondeterministic,
                               Verdict::crashed,     Verdict::timed_out, Verdict::unreadable,
                               Verdict::inconclusive};

Json parts_json(const std::vector<core::PartHash>& parts) {
    Json json = Json::array();
    for (const core::PartHash part : parts) {
        json.push_back(core::to_hex(part.value));
    }
    return json;
}

std::vector<core::PartHash> parts_from(const Json& json) {
    std::vector<core::PartHash> parts;
    for (const Json& part : json) {
        parts.push_back({from_hex(part)});
    }
    return parts;
}

FrameContext context_from(const Json& json) {
    return {json.at("frame").get<std::uint64_t>(),
            core::FrameTime{json.at("frame_time_ns").get<std::int64_t>()},
            json.at("tick_in_frame").get<std::uint64_t>(),
            json.at("ticks_in_frame").get<std::uint64_t>(),
            json.at("idle_frames").get<std::uint64_t>(),
            json.at("last_alpha").get<double>(),
            json.at("back").get<std::uint64_t>()};
}

Rerun rerun_from(const Json& json) {
    return {json.at("first_steps").get<std::uint64_t>(), json.at("back_from").get<std::uint64_t>()};
}

Place place_from(const Json& json) {
    return {static_cast<Activity>(json.at("activity").get<std::uint32_t>()),
            core::Tick{json.at("tick").get<std::uint64_t>()},
            json.at("steps").get<std::uint64_t>()};
}

// What reads JSON back gets these bytes as they are: messages are MessagePack.
Json bytes_json(const std::vector<std::byte>& bytes) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return Json::binary({begin, begin + bytes.size()});
}

std::vector<std::byte> bytes_from(const Json& json) {
    const auto& stored = json.get_binary();
    const auto* begin = reinterpret_cast<const std::byte*>(stored.data());
    return {begin, begin + stored.size()};
}

template <class T, class From>
std::optional<T> object_from(const Json& json, const char* key, const From& from) {
    const Json& value = json.at(key);
    return value.is_null() ? std::optional<T>() : std::optional<T>(from(value));
}

template <class T>
Json object_json(const std::optional<T>& value) {
    return value ? to_json(*value) : Json(nullptr);
}

StateRecord state_from(const Json& json) {
    return {json.at("ticks_done").get<std::uint64_t>(),
            {from_hex(json.at("hash"))},
            parts_from(json.at("parts")),
            context_from(json.at("context")),
            json.at("steps").get<std::uint64_t>(),
            object_from<Rerun>(json, "rerun", rerun_from)};
}

Divergence divergence_from(const Json& json) {
    return {state_from(json.at("computed")),
            {from_hex(json.at("recorded"))},
            parts_from(json.at("recorded_parts")),
            optional_from<std::uint64_t>(json, "last_agreed"),
            optional_from<std::uint64_t>(json, "last_agreed_steps")};
}

TrialStatistics statistics_from(const Json& json) {
    TrialStatistics statistics;
    statistics.ticks = json.at("ticks").get<std::uint64_t>();
    statistics.ticks_reached = json.at("ticks_reached").get<std::uint64_t>();
    statistics.frames = json.at("frames").get<std::uint64_t>();
    statistics.hashes_compared = json.at("hashes_compared").get<std::uint64_t>();
    statistics.least_ticks_per_frame = json.at("least_ticks_per_frame").get<std::uint64_t>();
    statistics.most_ticks_per_frame = json.at("most_ticks_per_frame").get<std::uint64_t>();
    statistics.inputs_present = json.at("inputs_present").get<std::uint64_t>();
    statistics.schedule_repeats = json.at("schedule_repeats").get<std::uint64_t>();
    statistics.state_loads = json.at("state_loads").get<std::uint64_t>();
    statistics.least_ticks_back = json.at("least_ticks_back").get<std::uint64_t>();
    statistics.most_ticks_back = json.at("most_ticks_back").get<std::uint64_t>();
    statistics.hash_changed = json.at("hash_changed").get<bool>();
    return statistics;
}

}  // namespace

Verdict verdict_from(std::string_view text) {
    for (const Verdict verdict : kVerdicts) {
        if (text == to_string(verdict)) {
            return verdict;
        }
    }
    throw std::invalid_argument("not a verdict: " + std::string(text));
}

Json to_json(const core::Error& error) {
    Json json;
    for (const auto& [code, name] : kErrorCodes) {
        if (code == error.code) {
            json["code"] = name;
        }
    }
    json["message"] = error.message;
    json["file"] = error.file;
    json["offset"] = optional_json(error.offset);
    json["tick"] = optional_json(error.tick);
    return json;
}

core::Error error_from(const Json& json) {
    core::Error error;
    for (const auto& [code, name] : kErrorCodes) {
        if (json.at("code") == name) {
            error.code = code;
        }
    }
    error.message = json.at("message").get<std::string>();
    error.file = json.at("file").get<std::string>();
    error.offset = optional_from<std::uint64_t>(json, "offset");
    error.tick = optional_from<std::uint64_t>(json, "tick");
    return error;
}

Json to_json(const TrialStatistics& statistics) {
    return {{"ticks", statistics.ticks},
            {"ticks_reached", statistics.ticks_reached},
            {"frames", statistics.frames},
            {"hashes_compared", statistics.hashes_compared},
            {"least_ticks_per_frame", statistics.least_ticks_per_frame},
            {"most_ticks_per_frame", statistics.most_ticks_per_frame},
            {"inputs_present", statistics.inputs_present},
            {"schedule_repeats", statistics.schedule_repeats},
            {"state_loads", statistics.state_loads},
            {"least_ticks_back", statistics.least_ticks_back},
            {"most_ticks_back", statistics.most_ticks_back},
            {"hash_changed", statistics.hash_changed}};
}

Json to_json(const HostCalls& calls) {
    return {{"begin_frame", calls.begin_frame}, {"render", calls.render}};
}

HostCalls host_calls_from(const Json& json) {
    return {json.at("begin_frame").get<bool>(), json.at("render").get<bool>()};
}

Json to_json(const FrameContext& context) {
    return {{"frame", context.frame},
            {"frame_time_ns", context.frame_time.nanoseconds},
            {"tick_in_frame", context.tick_in_frame},
            {"ticks_in_frame", context.ticks_in_frame},
            {"idle_frames", context.idle_frames},
            {"last_alpha", context.last_alpha},
            {"back", context.back}};
}

Json to_json(const Rerun& rerun) {
    return {{"first_steps", rerun.first_steps}, {"back_from", rerun.back_from}};
}

Json to_json(const Place& place) {
    return {{"activity", static_cast<std::uint32_t>(place.activity)},
            {"tick", place.tick.value},
            {"steps", place.steps}};
}

Json to_json(const StateRecord& state) {
    return {{"ticks_done", state.ticks_done},
            {"hash", to_string(state.hash)},
            {"parts", parts_json(state.parts)},
            {"context", to_json(state.context)},
            {"steps", state.steps},
            {"rerun", object_json(state.rerun)}};
}

Json to_json(const Divergence& divergence) {
    return {{"computed", to_json(divergence.computed)},
            {"recorded", to_string(divergence.recorded)},
            {"recorded_parts", parts_json(divergence.recorded_parts)},
            {"last_agreed", optional_json(divergence.last_agreed)},
            {"last_agreed_steps", optional_json(divergence.last_agreed_steps)}};
}

Json to_json(const TrialResult& result) {
    Json trace = Json::array();
    for (const StateRecord& state : result.trace) {
        trace.push_back(to_json(state));
    }
    return {{"verdict", to_string(result.verdict)},
            {"reason", result.reason},
            {"refused", object_json(result.refused)},
            {"failed_in", object_json(result.failed_in)},
            {"divergence", object_json(result.divergence)},
            {"statistics", to_json(result.statistics)},
            {"last_hash", result.last_hash ? Json(to_string(*result.last_hash)) : Json(nullptr)},
            {"part_names", result.part_names},
            {"trace", std::move(trace)},
            {"dumped", result.dumped},
            {"dump_failed", object_json(result.dump_failed)},
            {"note", result.note},
            {"calls", object_json(result.calls)},
            {"build_id", result.build_id},
            {"unread", result.unread},
            {"diverged_state", bytes_json(result.diverged_state)}};
}

TrialResult trial_result_from(const Json& json) {
    TrialResult result;
    result.verdict = verdict_from(json.at("verdict").get<std::string>());
    result.reason = json.at("reason").get<std::string>();
    result.refused = object_from<core::Error>(json, "refused", error_from);
    result.failed_in = object_from<Place>(json, "failed_in", place_from);
    result.divergence = object_from<Divergence>(json, "divergence", divergence_from);
    result.statistics = statistics_from(json.at("statistics"));
    result.last_hash = object_from<core::StateHash>(
        json, "last_hash", [](const Json& hash) { return core::StateHash{from_hex(hash)}; });
    result.part_names = json.at("part_names").get<std::vector<std::string>>();
    for (const Json& state : json.at("trace")) {
        result.trace.push_back(state_from(state));
    }
    result.dumped = json.at("dumped").get<bool>();
    result.dump_failed = object_from<core::Error>(json, "dump_failed", error_from);
    result.note = json.at("note").get<std::string>();
    result.calls = object_from<HostCalls>(json, "calls", host_calls_from);
    result.build_id = json.at("build_id").get<std::string>();
    result.unread = json.at("unread").get<std::vector<std::string>>();
    result.diverged_state = bytes_from(json.at("diverged_state"));
    return result;
}

Json to_json(const std::vector<BlindSpot>& blind_spots) {
    Json json = Json::array();
    for (const BlindSpot& spot : blind_spots) {
        json.push_back({{"measurement", to_string(spot.measurement)},
                        {"name", spot.name},
                        {"text", spot.text}});
    }
    return json;
}

Json to_json(const RecordResult& result) {
    return {{"error", object_json(result.error)},
            {"kept", result.kept},
            {"ticks", result.ticks},
            {"frames", result.frames},
            {"inputs_present", result.inputs_present},
            {"last_hash", to_string(result.last_hash)},
            {"session_digest",
             {core::to_hex(result.session_digest.low), core::to_hex(result.session_digest.high)}}};
}

RecordResult record_result_from(const Json& json) {
    RecordResult result;
    result.error = object_from<core::Error>(json, "error", error_from);
    result.kept = json.at("kept").get<bool>();
    result.ticks = json.at("ticks").get<std::uint64_t>();
    result.frames = json.at("frames").get<std::uint64_t>();
    result.inputs_present = json.at("inputs_present").get<std::uint64_t>();
    result.last_hash = {from_hex(json.at("last_hash"))};
    const Json& digest = json.at("session_digest");
    result.session_digest = {from_hex(digest.at(0)), from_hex(digest.at(1))};
    return result;
}

}  // namespace isotick::harness
