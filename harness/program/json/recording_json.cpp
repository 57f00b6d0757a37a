#include "recording_json.hpp"

#include "../../src/system/hex.hpp"
#include "trial_json.hpp"

#include <span>

#include <fmt/format.h>

namespace isotick::program {
namespace {

Json file_json(const std::string& path, const replay::ComparedFile& file) {
    return {{"path", path},
            {"ticks", file.ticks},
            {"finished", file.finished},
            {"damage", damage_json(file.damage)},
            {"tail_damage", damage_json(file.tail_damage)},
            {"chunks_read", file.chunks_read}};
}

Json input_json(const replay::InputBytes& input) {
    return input ? Json(harness::hex_bytes(*input)) : Json(nullptr);
}

Json session_difference_json(const replay::SessionDifference& difference) {
    using What = replay::SessionDifference::What;
    switch (difference.what) {
        case What::input:
            return {{"what", "input"},
                    {"tick", difference.tick.value},
                    {"player", difference.player},
                    {"a", input_json(difference.input_a)},
                    {"b", input_json(difference.input_b)}};
        case What::dt:
            return {{"what", "dt"},
                    {"tick", difference.tick.value},
                    {"a", optional_json(difference.text_a)},
                    {"b", optional_json(difference.text_b)}};
        case What::config:
            return {{"what", "config"},
                    {"key", difference.config_key},
                    {"a", optional_json(difference.text_a)},
                    {"b", optional_json(difference.text_b)}};
        default:
            break;
    }
    const char* what = difference.what == What::simulation ? "simulation"
                       : difference.what == What::rate     ? "tick_rate"
                       : difference.what == What::players  ? "players"
                                                           : "seed";
    return {{"what", what},
            {"a", optional_json(difference.text_a)},
            {"b", optional_json(difference.text_b)}};
}

Json tick_json(const std::optional<core::Tick>& tick) {
    return tick ? Json(tick->value) : Json(nullptr);
}

Json hash_difference_json(const replay::HashDifference& difference) {
    Json parts = Json::array();
    for (const replay::PartDifference& part : difference.parts) {
        parts.push_back({{"name", part.name},
                         {"a", core::to_hex(part.a.value)},
                         {"b", core::to_hex(part.b.value)}});
    }
    return {{"tick", tick_json(difference.tick)},
            {"a", to_string(difference.a)},
            {"b", to_string(difference.b)},
            {"last_equal", tick_json(difference.last_equal)},
            {"initial_equal", difference.initial_equal},
            {"parts_tick", tick_json(difference.parts_tick)},
            {"parts", std::move(parts)}};
}

Json range_json(const replay::TickRange& range) {
    return {{"first", range.first.value}, {"end", range.end.value}};
}

Json ranges_json(const std::vector<replay::TickRange>& ranges) {
    Json json = Json::array();
    for (const replay::TickRange& range : ranges) {
        json.push_back(range_json(range));
    }
    return json;
}

Json side_json(const std::string& path, const harness::StateComparison::Side& side) {
    return {{"path", path},
            {"simulation", side.simulation},
            {"ticks_done", side.ticks_done},
            {"hash_algorithm", side.hash_algorithm},
            {"hash", to_string(side.hash)}};
}

}  // namespace

std::string inspect_json(const std::string& path, const replay::Survey& survey) {
    Json damages = Json::array();
    for (const replay::Damage& damage : survey.damages) {
        damages.push_back(damage_json(damage));
    }
    return document({{"path", path},
                     {"session", session_json(survey.head.session)},
                     {"hash_algorithm", survey.head.hash_algorithm},
                     {"nan_policy", survey.head.nan_policy},
                     {"hash_every", survey.head.hash_every},
                     {"parts_every", survey.head.parts_every},
                     {"parts", survey.head.part_names},
                     {"notes", settings_json(survey.head.notes)},
                     {"bytes", survey.bytes},
                     {"ticks", survey.ticks},
                     {"own_dts", survey.own_dts},
                     {"chunks", survey.chunks},
                     {"finished", survey.finished},
                     {"unfinished", survey.is_unfinished()},
                     {"has_tail", survey.has_tail},
                     {"tail_damage", damage_json(survey.tail_damage)},
                     {"session_digest", to_string(survey.session_digest)},
                     {"hash_digest", to_string(survey.hash_digest)},
                     {"damages", std::move(damages)},
                     {"surviving", ranges_json(survey.surviving)}});
}

std::string repair_json(const std::string& recording, const std::string& output,
                        const replay::RepairReport& report) {
    Json lost = Json::array();
    for (const replay::LostTicks& ticks : report.lost) {
        lost.push_back({{"first", ticks.first.value},
                        {"end", ticks.end ? Json(ticks.end->value) : Json(nullptr)}});
    }
    Json skipped = Json::array();
    for (const replay::SkippedBytes& bytes : report.skipped) {
        skipped.push_back(
            {{"offset", bytes.offset}, {"bytes", bytes.bytes}, {"reason", bytes.reason}});
    }
    return document({{"path", recording},
                     {"session", session_json(report.head.session)},
                     {"bytes", report.bytes},
                     {"complete", report.complete()},
                     {"unfinished", report.unfinished},
                     {"was_finished", report.was_finished},
                     {"lost_final_hashes", report.lost_final_hashes},
                     {"saved",
                      {{"path", output},
                       {"ticks", report.saved_ticks},
                       {"bytes", report.saved_bytes},
                       {"finished", report.finished}}},
                     {"not_saved", ranges_json(report.not_saved)},
                     {"lost", std::move(lost)},
                     {"bytes_skipped", report.bytes_skipped},
                     {"skipped", std::move(skipped)}});
}

std::string diff_json(const DiffOptions& options, const replay::Comparison& comparison,
                      std::string_view outcome,
                      const std::optional<harness::Explanation>& difference) {
    Json json{{"outcome", outcome},
              {"by_digests", comparison.searched},
              {"a", file_json(options.a, comparison.a)},
              {"b", file_json(options.b, comparison.b)},
              {"incomparable", comparison.incomparable}};
    json["session"] =
        comparison.session ? session_difference_json(*comparison.session) : Json(nullptr);
    json["hashes"] = comparison.hashes ? hash_difference_json(*comparison.hashes) : Json(nullptr);
    json["parting"] = difference ? explanation_json(*difference) : Json(nullptr);
    return document(std::move(json));
}

std::string state_diff_json(const DiffOptions& options, const harness::StateComparison& compared,
                            std::string_view outcome) {
    return document({{"outcome", outcome},
                     {"a", side_json(options.a, compared.a)},
                     {"b", side_json(options.b, compared.b)},
                     {"fields", fields_json(compared.differences)}});
}

std::string ticks_json_head(const std::string& path, const replay::RecordingHead& head,
                            const replay::TickRange& range) {
    return beginning_of_document() +
           fmt::format(
               "\"path\": {}, \"first\": {}, \"end\": {}, \"players\": {}, \"parts\": {}, "
               "\"ticks\": [",
               in_one_line(path), range.first.value, range.end.value, head.session.players,
               in_one_line(head.part_names));
}

std::string tick_json(const replay::TickChunk& chunk, std::uint32_t row) {
    Json inputs = Json::array();
    for (const isotick_input& input : chunk.inputs(row)) {
        const std::span bytes(input.data, static_cast<std::size_t>(input.size));
        inputs.push_back(input.present == 0 ? Json(nullptr) : Json(harness::hex_bytes(bytes)));
    }
    Json parts = Json::array();
    for (const core::PartHash part : chunk.part_hashes(row)) {
        parts.push_back(core::to_hex(part.value));
    }
    const auto state = chunk.state_hash(row);
    const auto dt = chunk.dt(row);
    return in_one_line({{"tick", chunk.first_tick().value + row},
                        {"dt", dt ? Json(to_string(*dt)) : Json(nullptr)},
                        {"inputs", std::move(inputs)},
                        {"hash", state ? Json(to_string(*state)) : Json(nullptr)},
                        {"parts", parts.empty() ? Json(nullptr) : std::move(parts)}});
}

std::string gap_json(const replay::TickRange& ticks, const std::string& reason) {
    Json json = range_json(ticks);
    json["reason"] = reason;
    return in_one_line(json);
}

}  // namespace isotick::program
