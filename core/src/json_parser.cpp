#include "json_parser.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace isotick::core {
namespace {

constexpr bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

unsigned char byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

bool continues(std::string_view text, std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i) {
        if (i >= text.size() || (byte_at(text, i) & 0xc0U) != 0x80) {
            return false;
        }
    }
    return true;
}

void append_utf8(std::string& out, unsigned code) {
    const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0U | code >> 6U);
        put(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        put(0xe0U | code >> 12U);
        put(0x80U | (code >> 6U & 0x3fU));
        put(0x80U | (code & 0x3fU));
    } else {
        put(0xf0U | code >> 18U);
        put(0x80U | (code >> 12U & 0x3fU));
        put(0x80U | (code >> 6U & 0x3fU));
        put(0x80U | (code & 0x3fU));
    }
}

constexpr bool is_high_surrogate(unsigned code) {
    return code >= 0xd800 && code < 0xdc00;
}

constexpr bool is_low_surrogate(unsigned code) {
    return code >= 0xdc00 && code < 0xe000;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
    const unsigned first = byte_at(text, 0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (length == 0 || first > 0xf4 || !continues(text, 1, length)) {
        return 0;
    }
    const unsigned second = byte_at(text, 1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second >= 0xa0;
    const bool too_large = first == 0xf4 && second >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

bool JsonParser::fail_here(std::string message, ErrorCode code) {
    failed_ = Error{code, std::move(message), {}, at_, {}};
    return false;
}

Result<JsonValue> JsonParser::document() {
    JsonValue root;
    if (!value(root, 0)) {
        return tl::unexpected(failed_);
    }
    skip_space();
    if (!ends()) {
        fail_here("nothing may follow here");
        return tl::unexpected(failed_);
    }
    return root;
}

void JsonParser::skip_space() {
    while (!ends() && is_json_space(text_[at_])) {
        ++at_;
    }
}

bool JsonParser::take(char letter) {
    const bool there = next_is(letter);
    at_ += there ? 1 : 0;
    return there;
}

bool JsonParser::word(std::string_view expected) {
    if (!text_.substr(at_).starts_with(expected)) {
        return fail_here("no JSON value begins like this");
    }
    at_ += expected.size();
    return true;
}

bool JsonParser::value(JsonValue& out, std::size_t depth) {
    skip_space();
    if (ends()) {
        return fail_here("a value is missing");
    }
    if (++values_ > limits_.values) {
        return fail_here("more than " + std::to_string(limits_.values) + " values",
                         ErrorCode::limit);
    }
    out.offset = at_;
    if (!value_of_any_kind(out, depth)) {
        return false;
    }
    out.size = at_ - out.offset;
    return true;
}

bool JsonParser::value_of_any_kind(JsonValue& out, std::size_t depth) {
    switch (text_[at_]) {
        case '{':
            return object(out, depth + 1);
        case '[':
            return array(out, depth + 1);
        case '"':
            out.kind = JsonValue::Kind::string;
            return string(out.text);
        case 'n':
            return word("null");
        case 't':
        case 'f':
            out.kind = JsonValue::Kind::boolean;
            out.truth = text_[at_] == 't';
            return word(out.truth ? "true" : "false");
        default:
            out.kind = JsonValue::Kind::number;
            return number(out);
    }
}

bool JsonParser::another(char end, bool& follows) {
    skip_space();
    follows = take(',');
    if (!follows && !take(end)) {
        return fail_here(std::string("',' or '") + end + "' is missing");
    }
    return true;
}

bool JsonParser::object(JsonValue& out, std::size_t depth) {
    if (depth > limits_.depth) {
        return fail_here("nested too deeply", ErrorCode::limit);
    }
    out.kind = JsonValue::Kind::object;
    ++at_;
    skip_space();
    bool follows = !take('}');
    while (follows) {
        if (!member(out, depth) || !another('}', follows)) {
            return false;
        }
    }
    std::set<std::string_view> names;
    for (const JsonMember& member : out.members) {
        if (!names.insert(member.name).second) {
            at_ = member.name_offset;
            return fail_here("\"" + member.name + "\" stands here twice");
        }
    }
    return true;
}

bool JsonParser::member(JsonValue& object, std::size_t depth) {
    skip_space();
    if (!next_is('"')) {
        return fail_here("a name in quotes is missing");
    }
    JsonMember member;
    member.name_offset = at_;
    if (!string(member.name)) {
        return false;
    }
    skip_space();
    if (!take(':')) {
        return fail_here("':' is missing");
    }
    if (!value(member.value, depth)) {
        return false;
    }
    object.members.push_back(std::move(member));
    return true;
}

bool JsonParser::array(JsonValue& out, std::size_t depth) {
    if (depth > limits_.depth) {
        return fail_here("nested too deeply", ErrorCode::limit);
    }
    out.kind = JsonValue::Kind::array;
    ++at_;
    skip_space();
    bool follows = !take(']');
    while (follows) {
        JsonMember element;
        if (!value(element.value, depth)) {
            return false;
        }
        out.members.push_back(std::move(element));
        if (!another(']', follows)) {
            return false;
        }
    }
    return true;
}

bool JsonParser::digits() {
    if (ends() || !is_digit(text_[at_])) {
        return fail_here("a digit is missing");
    }
    while (!ends() && is_digit(text_[at_])) {
        ++at_;
    }
    return true;
}

bool JsonParser::number(JsonValue& out) {
    const std::size_t start = at_;
    if (!take('-') && !is_digit(text_[at_])) {
        return fail_here("no JSON value begins like this");
    }
    if (take('0')) {
        if (!ends() && is_digit(text_[at_])) {
            return fail_here("a number may not begin with 0");
        }
    } else if (!digits()) {
        return false;
    }
    if (take('.') && !digits()) {
        return false;
    }
    if (take('e') || take('E')) {
        if (!take('+')) {
            (void)take('-');
        }
        if (!digits()) {
            return false;
        }
    }
    out.text = text_.substr(start, at_ - start);
    return true;
}

bool JsonParser::string(std::string& out) {
    ++at_;
    while (!ends()) {
        const char letter = text_[at_];
        if (letter == '"') {
            ++at_;
            return true;
        }
        if (letter == '\\') {
            if (!escape(out)) {
                return false;
            }
            continue;
        }
        if (static_cast<unsigned char>(letter) < 0x20) {
            return fail_here("a control character in a string must be escaped");
        }
        const std::size_t length = utf8_length(text_.substr(at_));
        if (length == 0) {
            return fail_here("this is not UTF-8");
        }
        out.append(text_.substr(at_, length));
        at_ += length;
    }
    return fail_here("the string does not end");
}

bool JsonParser::escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t start = at_++;
    if (take('u')) {
        return unicode(out);
    }
    const std::size_t which = ends() ? std::string_view::npos : kLetters.find(text_[at_]);
    if (which == std::string_view::npos) {
        at_ = start;
        return fail_here("there is no such escape");
    }
    out += kMeanings[which];
    ++at_;
    return true;
}

bool JsonParser::unicode(std::string& out) {
    unsigned code = 0;
    if (!four_digits(code)) {
        return false;
    }
    if (is_high_surrogate(code)) {
        unsigned low = 0;
        if (!text_.substr(at_).starts_with("\\u")) {
            return fail_here("half of a surrogate pair is missing");
        }
        at_ += 2;
        if (!four_digits(low)) {
            return false;
        }
        if (!is_low_surrogate(low)) {
            return fail_here("half of a surrogate pair is missing");
        }
        code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
    } else if (is_low_surrogate(code)) {
        return fail_here("half of a surrogate pair is missing");
    }
    append_utf8(out, code);
    return true;
}

bool JsonParser::four_digits(unsigned& code) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (int i = 0; i < 4; ++i, ++at_) {
        const char letter =
            ends() ? ' ' : static_cast<char>(is_digit(text_[at_]) ? text_[at_] : text_[at_] | 0x20);
        const std::size_t digit = kDigits.find(letter);
        if (digit == std::string_view::npos) {
            return fail_here("four hexadecimal digits are wanted");
        }
        code = code << 4U | static_cast<unsigned>(digit);
    }
    return true;
}

}  // namespace isotick::core
