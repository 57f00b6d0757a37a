#pragma once
// The parser behind parse_json.

#include <isotick/core/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace isotick::core {

[[nodiscard]] constexpr bool is_json_space(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
}

/// How many bytes the first character of `text` takes in UTF-8; 0 where they are not UTF-8. A
/// surrogate, an overlong form and what lies beyond U+10FFFF are not. Requires a text that is not
/// empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Reads one document; to be used once.
class JsonParser {
  public:
    JsonParser(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

    [[nodiscard]] Result<JsonValue> document();

  private:
    // Each reads what begins at at_ and moves behind it. False: failed_ says why.
    [[nodiscard]] bool value(JsonValue& out, std::size_t depth);
    [[nodiscard]] bool value_of_any_kind(JsonValue& out, std::size_t depth);
    [[nodiscard]] bool object(JsonValue& out, std::size_t depth);
    [[nodiscard]] bool member(JsonValue& object, std::size_t depth);
    [[nodiscard]] bool array(JsonValue& out, std::size_t depth);
    [[nodiscard]] bool number(JsonValue& out);
    [[nodiscard]] bool digits();
    [[nodiscard]] bool string(std::string& out);
    [[nodiscard]] bool escape(std::string& out);
    [[nodiscard]] bool unicode(std::string& out);
    [[nodiscard]] bool four_digits(unsigned& code);
    [[nodiscard]] bool word(std::string_view expected);
    // One more element follows, or `end`.
    [[nodiscard]] bool another(char end, bool& follows);

    void skip_space();
    [[nodiscard]] bool ends() const { return at_ == text_.size(); }
    [[nodiscard]] bool next_is(char letter) const { return !ends() && text_[at_] == letter; }
    [[nodiscard]] bool take(char letter);

    /// Always false.
    bool fail_here(std::string message, ErrorCode code = ErrorCode::damaged);

    std::string_view text_;
    JsonLimits limits_;
    std::size_t at_ = 0;
    std::size_t values_ = 0;
    Error failed_;
};

}  // namespace isotick::core
