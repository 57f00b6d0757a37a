#pragma once
// What several JSON reports are made of.

#include "../src/json/json.hpp"

#include <isotick/replay/session.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace isotick::program {

/// The whole of a report as text: one JSON document with a line feed. Printable; in strings that
/// are not UTF-8, bytes that are not stand as `\xff` (in JSON "\\xff").
[[nodiscard]] std::string document(const harness::Json& json);

/// The same in one line, without a line feed: an element of a list that is too long to be held.
[[nodiscard]] std::string in_one_line(const harness::Json& json);

[[nodiscard]] harness::Json session_json(const replay::SessionInfo& session);

/// Two lower-case hexadecimal digits a byte.
[[nodiscard]] std::string hex_bytes(std::span<const std::uint8_t> bytes);

}  // namespace isotick::program
