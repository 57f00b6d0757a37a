#include "json_pieces.hpp"

#include "../src/text/hex.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/json.hpp>
#include <isotick/core/printable.hpp>

namespace isotick::program {

using harness::Json;

namespace {

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

std::string document(const Json& json) {
    return text_of(json, 2) + "\n";
}

std::string in_one_line(const Json& json) {
    return text_of(json, -1);
}

Json session_json(const replay::SessionInfo& session) {
    return {{"simulation", session.simulation},
            {"tick_rate", to_string(session.rate)},
            {"players", session.players},
            {"seed", core::to_hex(session.seed)},
            {"config", harness::to_json(session.config)}};
}

std::string hex_bytes(std::span<const std::uint8_t> bytes) {
    std::string text;
    harness::append_hex(text, bytes);
    return text;
}

}  // namespace isotick::program
