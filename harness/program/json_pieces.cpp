#include "json_pieces.hpp"

#include "../src/text/hex.hpp"

#include <isotick/core/hash.hpp>

namespace isotick::program {

using harness::Json;

std::string document(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string in_one_line(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
