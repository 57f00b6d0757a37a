#include "json_pieces.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/hash.hpp>

#include <utility>

#include <fmt/format.h>

namespace isotick::program {
namespace {

// Of all documents together. It grows when a member is removed, renamed or comes to mean something
// else; members may be added without. harness/json.schema.json describes this version.
constexpr int kJsonVersion = 1;
constexpr const char* kVersion = "version";

std::string utf8(const std::string& text) {
    return core::is_utf8(text) ? text : core::printable(text);
}

// JSON is UTF-8: what is not, a path perhaps, stands there as it does in a report for people.
Json in_utf8(const Json& json) {
    if (json.is_string()) {
        return utf8(json.get_ref<const std::string&>());
    }
    if (!json.is_structured()) {
        return json;
    }
    Json copy = json.is_array() ? Json::array() : Json::object();
    for (const auto& [key, value] : json.items()) {
        if (json.is_array()) {
            copy.push_back(in_utf8(value));
        } else {
            copy[utf8(key)] = in_utf8(value);
        }
    }
    return copy;
}

std::string text_of(const Json& json, int indent) {
    try {
        return core::printable_lines(json.dump(indent));
    } catch (const Json::type_error&) {  // a string is not UTF-8
        return core::printable_lines(
            in_utf8(json).dump(indent, ' ', false, Json::error_handler_t::replace));
    }
}

const char* word(core::DifferenceKind kind) {
    switch (kind) {
        case core::DifferenceKind::value:
            return "value";
        case core::DifferenceKind::length:
            return "length";
        case core::DifferenceKind::gone:
            return "gone";
        case core::DifferenceKind::added:
            return "added";
    }
    return "";
}

Json fixed_json(const std::optional<core::FixedDistance>& fixed) {
    return fixed ? Json{{"units", fixed->units}, {"fraction_bits", fixed->fraction_bits}} : Json();
}

Json difference_json(const core::FieldDifference& difference) {
    return {{"path", difference.path},
            {"field_kind", difference.field_kind},
            {"kind", word(difference.kind)},
            {"before", difference.before},
            {"after", difference.after},
            {"note", difference.note},
            {"ulps", optional_json(difference.ulps)},
            {"fixed", fixed_json(difference.fixed)}};
}

}  // namespace

std::string document(Json members) {
    Json whole{{kVersion, kJsonVersion}};
    for (auto& [name, value] : members.get_ref<Json::object_t&>()) {
        whole[name] = std::move(value);
    }
    return text_of(whole, 2) + "\n";
}

std::string beginning_of_document() {
    return fmt::format("{{\"{}\": {}, ", kVersion, kJsonVersion);
}

std::string in_one_line(const Json& json) {
    return text_of(json, -1);
}

Json text_json(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json settings_json(const core::Settings& settings) {
    Json json = Json::object();
    for (const auto& [key, value] : settings.entries()) {
        json[key] = value;
    }
    return json;
}

Json session_json(const replay::SessionInfo& session) {
    return {{"simulation", session.simulation},
            {"tick_rate", to_string(session.rate)},
            {"players", session.players},
            {"seed", std::to_string(session.seed)},
            {"config", settings_json(session.config)}};
}

Json last_tick_json(std::uint64_t ticks_done) {
    return ticks_done == 0 ? Json(nullptr) : Json(ticks_done - 1);
}

Json damage_json(const replay::Damage& damage) {
    return {{"offset", damage.offset}, {"reason", damage.reason}};
}

Json damage_json(const std::optional<replay::Damage>& damage) {
    return damage ? damage_json(*damage) : Json(nullptr);
}

Json blind_spots_json(const std::vector<harness::BlindSpot>& blind_spots) {
    Json json = Json::array();
    for (const harness::BlindSpot& spot : blind_spots) {
        json.push_back({{"measurement", to_string(spot.measurement)},
                        {"name", spot.name},
                        {"text", spot.text}});
    }
    return json;
}

Json fields_json(const core::FieldDifferences& differences) {
    Json kinds = Json::array();
    for (const core::FieldKind& kind : differences.kinds) {
        kinds.push_back({{"path", kind.path}, {"part", kind.part}, {"total", kind.total}});
    }
    Json listed = Json::array();
    for (const core::FieldDifference& difference : differences.listed) {
        listed.push_back(difference_json(difference));
    }
    return {
        {"total", differences.total}, {"kinds", std::move(kinds)}, {"listed", std::move(listed)}};
}

Json fields_json(const harness::FieldReport& report) {
    Json json{{"known", report.known}, {"unknown", report.unknown}};
    if (report.known) {
        json.update(fields_json(report.differences));
    }
    return json;
}

}  // namespace isotick::program
