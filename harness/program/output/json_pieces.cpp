#include "json_pieces.hpp"

#include "../../src/text/hex.hpp"

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/printable.hpp>
#include <isotick/core/hash.hpp>

#include <utility>

#include <fmt/format.h>

namespace isotick::program {

using harness::Json;

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

Json session_json(const replay::SessionInfo& session) {
    return {{"simulation", session.simulation},
            {"tick_rate", to_string(session.rate)},
            {"players", session.players},
            {"seed", std::to_string(session.seed)},
            {"config", harness::to_json(session.config)}};
}

std::string hex_bytes(std::span<const std::uint8_t> bytes) {
    std::string text;
    harness::append_hex(text, bytes);
    return text;
}

}  // namespace isotick::program
