// JSON as core reads it: what nlohmann_json takes and nothing else, and compacted it is the same.

#include "../support/fuzz_target.hpp"

#include <isotick/core/detail/json.hpp>

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

namespace isotick::fuzz {
namespace {

using core::JsonMember;
using core::JsonValue;

bool same(const JsonValue& a, const JsonValue& b) {
    return a.kind == b.kind && a.truth == b.truth && a.text == b.text &&
           std::ranges::equal(a.members, b.members, [](const JsonMember& x, const JsonMember& y) {
               return x.name == y.name && same(x.value, y.value);
           });
}

// Theirs ends at the first zero byte, whatever follows, and takes no number beyond a double.
bool is_taken_by_theirs(std::string_view text) {
    return text.find('\0') == std::string_view::npos && nlohmann::json::accept(text);
}

bool is_known_difference(const core::Error& error) {
    return error.code == core::ErrorCode::limit || error.message.ends_with("appears twice here");
}

}  // namespace

void run(Input input) {
    const std::string_view text = text_of(input);
    const auto parsed = core::parse_json(text);
    if (!parsed) {
        require(parsed.error().offset.value_or(0) <= text.size(), "an error lies in the text");
        require(is_known_difference(parsed.error()) || !is_taken_by_theirs(text),
                "what is JSON is taken");
        return;
    }
    const bool may_be_too_large = text.find_first_of("eE") != text.npos || text.size() > 300;
    require(may_be_too_large || is_taken_by_theirs(text), "what is not JSON is refused");
    const std::string compact = core::compact_json(text);
    const auto again = core::parse_json(compact);
    require(again && same(*again, *parsed), "compacted JSON is the same");
    std::string quoted;
    core::append_json_string(quoted, compact);
    const auto unquoted = core::parse_json(quoted);
    require(unquoted && unquoted->text == compact, "a string reads back as it was");
}

}  // namespace isotick::fuzz
