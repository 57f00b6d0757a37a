#pragma once
// JSON as text: enough to describe inputs and to read descriptions back, for text that may be
// hostile. What recordings look like as text is harness/TEXT.md's.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

struct JsonMember;

/// One value of a JSON document and where it stands in the text.
struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    bool truth = false;               ///< of a boolean
    std::size_t offset = 0;           ///< of its first byte in the text
    std::size_t size = 0;             ///< in bytes of the text
    std::string text;                 ///< a string's content (UTF-8); a number as it was written
    std::vector<JsonMember> members;  ///< of an object, in the order of the text; of an array,
                                      ///< without names

    /// The member called `name`; null where there is none.
    [[nodiscard]] const JsonValue* find(std::string_view name) const;

    /// The value of a number that is whole, without point or exponent, and fits.
    [[nodiscard]] std::optional<std::uint64_t> as_unsigned() const;
    [[nodiscard]] std::optional<std::int64_t> as_signed() const;
};

struct JsonMember {
    std::string name;
    std::size_t name_offset = 0;
    JsonValue value;
};

/// How much a document may hold; more is refused before it is stored.
struct JsonLimits {
    std::size_t depth = 32;         ///< of arrays and objects within each other
    std::size_t values = 1U << 16;  ///< altogether
};

/// Reads one document, as RFC 8259 defines it and no laxer: UTF-8, no name twice in an object,
/// nothing behind the value. Fails with `damaged` and the offset of the byte that is wrong, or
/// with `limit`. Takes memory in proportion to the values in the text.
[[nodiscard]] Result<JsonValue> parse_json(std::string_view text, const JsonLimits& limits = {});

/// `a whole number`, `a string`: what a value is, in a sentence.
[[nodiscard]] std::string_view to_string(JsonValue::Kind kind);

/// Appends `text` as a JSON string, which is printable. Requires UTF-8 (see is_utf8).
void append_json_string(std::string& json, std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

/// The same document without whitespace between its parts. Requires text that parse_json accepts.
[[nodiscard]] std::string compact_json(std::string_view json);

}  // namespace isotick::core
