#include "../capture/stored_frames.hpp"
#include "json.hpp"

#include <isotick/core/loops.hpp>

#include <charconv>
#include <stdexcept>
#include <utility>

namespace isotick::harness {
namespace {

template <class T>
T value_or_throw(core::Result<T> result) {
    if (!result) {
        throw std::invalid_argument(result.error().message);
    }
    return *std::move(result);
}

Json setup_json(const core::SimulationSetup& setup) {
    return {{"rate", to_string(setup.rate)},
            {"players", setup.players},
            {"seed", core::to_hex(setup.seed)},
            {"config", to_json(setup.config)},
            {"environment", to_json(setup.environment)}};
}

core::SimulationSetup setup_from(const Json& json) {
    return {.rate = value_or_throw(core::TickRate::parse(json.at("rate").get<std::string>())),
            .players = json.at("players").get<std::uint32_t>(),
            .seed = from_hex(json.at("seed")),
            .config = settings_from(json.at("config")),
            .environment = settings_from(json.at("environment"))};
}

std::vector<AxisValue> axes_from(const Json& json) {
    std::vector<AxisValue> values;
    for (const Json& value : json) {
        values.push_back(
            {value.at("axis").get<std::string>(), value.at("value").get<std::string>()});
    }
    return values;
}

core::LoopOptions loop_from(const Json& json) {
    return value_or_throw(core::parse_loop(json.get<std::string>()));
}

// The frames of a capture travel as the path of a file that only this run knows, or, where somebody
// else made them, one by one.
Json frames_json(const core::CapturedFrames& frames) {
    const std::string path = stored_path(frames);
    return path.empty()
               ? Json(std::vector<std::int64_t>(frames.ends().begin(), frames.ends().end()))
               : Json(path);
}

Json schedule_json(const core::Schedule& schedule) {
    Json captures = Json::array();
    for (const core::ScheduleItem& item : schedule.items()) {
        if (item.capture.capture) {
            captures.push_back(frames_json(*item.capture.capture->frames));
        }
    }
    return {{"text", schedule.to_string()}, {"captures", std::move(captures)}};
}

core::Schedule schedule_from(const Json& json) {
    const Json& captures = json.at("captures");
    std::size_t next = 0;  // captures are resolved in the order in which the text names them
    const auto resolve = [&](const std::string&) {
        const Json& frames = captures.at(next++);
        return frames.is_string()
                   ? open_stored_frames(frames.get<std::string>())
                   : core::CapturedFrames::own(frames.get<std::vector<std::int64_t>>());
    };
    return value_or_throw(core::Schedule::parse(json.at("text").get<std::string>(), resolve));
}

}  // namespace

std::uint64_t from_hex(const Json& json) {
    const auto& text = json.get_ref<const std::string&>();
    std::uint64_t value = 0;
    const auto end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value, 16);
    if (error != std::errc() || read != end) {
        throw std::invalid_argument("not a hexadecimal number: " + text);
    }
    return value;
}

Json to_json(const core::Settings& settings) {
    Json json = Json::object();
    for (const auto& [key, value] : settings.entries()) {
        json[key] = value;
    }
    return json;
}

core::Settings settings_from(const Json& json) {
    core::Settings settings;
    for (const auto& [key, value] : json.items()) {
        if (!settings.set(key, value.get<std::string>())) {
            throw std::invalid_argument("not a setting: " + key);
        }
    }
    return settings;
}

Json to_json(const std::vector<AxisValue>& values) {
    Json json = Json::array();
    for (const AxisValue& value : values) {
        json.push_back({{"axis", value.axis}, {"value", value.value}});
    }
    return json;
}

Json to_json(const TrialPlan& plan) {
    Json json{{"recording", plan.recording},
              {"environment", to_json(plan.environment)},
              {"schedule", schedule_json(plan.drive.schedule)},
              {"loop", to_string(plan.drive.loop)},
              {"most_frames", plan.most_frames},
              {"most_steps", plan.most_steps},
              {"one_call_at_a_time", plan.one_call_at_a_time},
              {"keep_diverged_state", plan.keep_diverged_state}};
    json["axes"] = to_json(plan.drive.axes);
    json["inputs"] = to_json(plan.inputs);
    json["hashes"] = plan.hashes ? Json{{"path", plan.hashes->path},
                                        {"write", plan.hashes->use == HashFile::Use::write}}
                                 : Json(nullptr);
    json["until"] = plan.until ? Json(plan.until->value) : Json(nullptr);
    json["trace"] = plan.trace ? Json::array({plan.trace->first, plan.trace->last}) : Json(nullptr);
    json["dump"] = plan.dump
                       ? Json{{"path", plan.dump->path}, {"steps", optional_json(plan.dump->steps)}}
                       : Json(nullptr);
    json["watch"] = plan.watch ? Json{{"path", plan.watch->path}, {"fields", plan.watch->fields}}
                               : Json(nullptr);
    return json;
}

TrialPlan trial_plan_from(const Json& json) {
    TrialPlan plan;
    plan.recording = json.at("recording").get<std::string>();
    plan.environment = settings_from(json.at("environment"));
    plan.drive.axes = axes_from(json.at("axes"));
    plan.drive.schedule = schedule_from(json.at("schedule"));
    plan.drive.loop = loop_from(json.at("loop"));
    plan.inputs = input_edits_from(json.at("inputs"));
    if (const Json& hashes = json.at("hashes"); !hashes.is_null()) {
        plan.hashes = HashFile{hashes.at("path").get<std::string>(), hashes.at("write").get<bool>()
                                                                         ? HashFile::Use::write
                                                                         : HashFile::Use::compare};
    }
    plan.most_frames = json.at("most_frames").get<std::uint64_t>();
    plan.most_steps = json.at("most_steps").get<std::uint64_t>();
    plan.one_call_at_a_time = json.at("one_call_at_a_time").get<bool>();
    plan.keep_diverged_state = json.at("keep_diverged_state").get<bool>();
    if (const auto until = optional_from<std::uint64_t>(json, "until")) {
        plan.until = core::Tick{*until};
    }
    if (const Json& trace = json.at("trace"); !trace.is_null()) {
        plan.trace = {trace.at(0).get<std::uint64_t>(), trace.at(1).get<std::uint64_t>()};
    }
    if (const Json& dump = json.at("dump"); !dump.is_null()) {
        plan.dump = {dump.at("path").get<std::string>(),
                     optional_from<std::uint64_t>(dump, "steps")};
    }
    if (const Json& watch = json.at("watch"); !watch.is_null()) {
        plan.watch = {watch.at("path").get<std::string>(),
                      watch.at("fields").get<std::vector<std::string>>()};
    }
    return plan;
}

Json to_json(const RecordPlan& plan) {
    return {{"path", plan.path},
            {"setup", setup_json(plan.setup)},
            {"ticks", plan.ticks},
            {"schedule", schedule_json(plan.drive.schedule)},
            {"loop", to_string(plan.drive.loop)},
            {"axes", to_json(plan.drive.axes)},
            {"inputs", to_string(plan.inputs)},
            {"recorded_inputs", plan.recorded_inputs},
            {"edits", to_json(plan.edits)},
            {"sample_every_tick", plan.sample_every_tick},
            {"finish", plan.finish},
            {"hash_every", plan.hash_every},
            {"parts_every", plan.parts_every},
            {"notes", to_json(plan.notes)}};
}

RecordPlan record_plan_from(const Json& json) {
    RecordPlan plan;
    plan.path = json.at("path").get<std::string>();
    plan.appearance = replay::Appearance::filled_in;  // record_in_worker makes the file
    plan.setup = setup_from(json.at("setup"));
    plan.ticks = json.at("ticks").get<std::uint64_t>();
    plan.drive.schedule = schedule_from(json.at("schedule"));
    plan.drive.loop = loop_from(json.at("loop"));
    plan.drive.axes = axes_from(json.at("axes"));
    plan.recorded_inputs = json.at("recorded_inputs").get<std::string>();
    plan.edits = input_edits_from(json.at("edits"));
    plan.sample_every_tick = json.at("sample_every_tick").get<bool>();
    plan.inputs = plan.recorded_inputs.empty()
                      ? value_or_throw(parse_input_source(json.at("inputs").get<std::string>()))
                      : InputSource::recording;
    plan.finish = json.at("finish").get<bool>();
    plan.hash_every = json.at("hash_every").get<std::uint32_t>();
    plan.parts_every = json.at("parts_every").get<std::uint32_t>();
    plan.notes = settings_from(json.at("notes"));
    return plan;
}

Json to_json(const SimulationFacts& facts) {
    return {{"name", facts.name},
            {"summary", facts.summary},
            {"config_help", facts.config_help},
            {"build_id", facts.build_id},
            {"hash_algorithm", facts.hash_algorithm},
            {"nan_policy", facts.nan_policy},
            {"rate", to_string(facts.rate)},
            {"least_players", facts.least_players},
            {"most_players", facts.most_players},
            {"usual_players", facts.usual_players},
            {"capabilities", facts.capabilities},
            {"has_bot", facts.has_bot},
            {"calls", to_json(facts.calls)}};
}

SimulationFacts facts_from(const Json& json) {
    return {.name = json.at("name").get<std::string>(),
            .summary = json.at("summary").get<std::string>(),
            .config_help = json.at("config_help").get<std::string>(),
            .build_id = json.at("build_id").get<std::string>(),
            .hash_algorithm = json.at("hash_algorithm").get<std::string>(),
            .nan_policy = json.at("nan_policy").get<std::string>(),
            .rate = value_or_throw(core::TickRate::parse(json.at("rate").get<std::string>())),
            .least_players = json.at("least_players").get<std::uint32_t>(),
            .most_players = json.at("most_players").get<std::uint32_t>(),
            .usual_players = json.at("usual_players").get<std::uint32_t>(),
            .capabilities = json.at("capabilities").get<std::uint64_t>(),
            .has_bot = json.at("has_bot").get<bool>(),
            .calls = host_calls_from(json.at("calls"))};
}

}  // namespace isotick::harness
