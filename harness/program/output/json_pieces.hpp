#pragma once
// What several JSON reports are made of.

#include "../../src/json/json.hpp"

#include <isotick/replay/session.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace isotick::program {

/// What the whole of a report is printed as: an object of `version` and these members, with a line
/// feed. Printable; in strings that are not UTF-8, bytes that are not stand as `\xff` (in JSON
/// "\\xff").
[[nodiscard]] std::string document(harness::Json members);

/// How a document begins that is too long to be held: its brace and `version`. A member follows.
[[nodiscard]] std::string beginning_of_document();

/// JSON as text in one line, without a line feed: an element of such a document's list.
[[nodiscard]] std::string in_one_line(const harness::Json& json);

/// The seed is a string of decimal digits, as reports print it and `--seed` takes it: not every
/// reader of JSON keeps 64 bits.
[[nodiscard]] harness::Json session_json(const replay::SessionInfo& session);

/// Two lower-case hexadecimal digits a byte.
[[nodiscard]] std::string hex_bytes(std::span<const std::uint8_t> bytes);

}  // namespace isotick::program
