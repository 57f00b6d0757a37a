// The parts of the JSON archives that are not templates.

#include <isotick/core/detail/json_archives.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#if !defined(__cpp_lib_to_chars)
#include <cerrno>
#include <clocale>
#include <cstdlib>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace isotick::core {

// Real numbers from JSON's text, correctly rounded whatever the library and the locale.

/// The number nearest to `text`, which is a number in JSON's grammar; none where it is beyond what
/// Number holds, or so small that only 0 is left of it.
template <class Number>
[[nodiscard]] std::optional<Number> real_from(const std::string& text) {
    static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>);
#if defined(__cpp_lib_to_chars)
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
#else
    // libc++ has no from_chars for them before version 20.
    static const locale_t classic = newlocale(LC_ALL_MASK, "C", nullptr);
    char* end = nullptr;
    errno = 0;
    Number number = 0;
    if constexpr (std::is_same_v<Number, float>) {
        number = strtof_l(text.c_str(), &end, classic);
    } else {
        number = strtod_l(text.c_str(), &end, classic);
    }
    const bool is_read =
        end == text.c_str() + text.size() && !(errno == ERANGE && std::abs(number) == 0);
#endif
    return is_read && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

namespace {

using Kind = JsonValue::Kind;

template <class Number>
std::string range_text(const JsonValue& value, Number least, Number most) {
    return (value.kind == Kind::number ? value.text : std::string(to_string(value.kind))) +
           " is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

void JsonLoadArchive::refuse(const std::string& what) const {
    std::string path;
    for (const Node& node : nodes_) {
        if (!node.current.empty()) {
            path += (path.empty() ? "" : ".") + std::string(node.current);
        } else if (!node.named && node.next > 0) {
            path += "[" + std::to_string(node.next - 1) + "]";
        }
    }
    throw std::runtime_error(path.empty() ? what : path + ": " + what);
}

const JsonValue& JsonLoadArchive::take() {
    if (named_ != nullptr) {
        return *std::exchange(named_, nullptr);
    }
    if (nodes_.empty()) {
        return document_;
    }
    Node& node = nodes_.back();
    if (node.value->kind != Kind::array) {
        refuse(std::string(to_string(node.value->kind)) + " where an array is wanted");
    }
    if (node.next == node.value->members.size()) {
        refuse("the array ends after " + std::to_string(node.next) + " elements, more are wanted");
    }
    return node.value->members[node.next++].value;
}

const JsonValue& JsonLoadArchive::take(Kind kind) {
    const JsonValue& value = take();
    if (value.kind != kind) {
        refuse(std::string(to_string(value.kind)) + " where " + std::string(to_string(kind)) +
               " is wanted");
    }
    return value;
}

void JsonLoadArchive::open() {
    const JsonValue& value = take();
    nodes_.push_back({&value, std::vector<bool>(value.members.size()), 0, {}, false});
}

bool JsonLoadArchive::name(const char* name) {
    Node& node = nodes_.back();
    node.named = true;
    node.current = {};
    if (node.value->kind != Kind::object) {
        refuse(std::string(to_string(node.value->kind)) + " where an object is wanted");
    }
    for (std::size_t i = 0; i < node.taken.size(); ++i) {
        const JsonMember& member = node.value->members[i];
        if (member.name == name) {
            node.taken[i] = true;
            node.current = name;
            named_ = &member.value;
        }
    }
    return named_ != nullptr;
}

std::size_t JsonLoadArchive::sequence() {
    const JsonValue& value = *nodes_.back().value;
    if (value.kind != Kind::array) {
        refuse(std::string(to_string(value.kind)) + " where an array is wanted");
    }
    return value.members.size();
}

void JsonLoadArchive::close() {
    Node& node = nodes_.back();
    node.current = {};
    const auto& members = node.value->members;
    if (node.value->kind == Kind::array && node.next < members.size()) {
        refuse("the array has " + std::to_string(members.size()) + " elements, but only " +
               std::to_string(node.next) + " are wanted");
    }
    if (node.value->kind == Kind::object) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (!node.taken[i]) {
                refuse("\"" + members[i].name + "\" is unknown");
            }
        }
    }
    nodes_.pop_back();
}

bool JsonLoadArchive::boolean() {
    return take(Kind::boolean).truth;
}

std::optional<std::int64_t> JsonLoadArchive::enumerator(const JsonValue& value) {
    const FindEnumerator find = std::exchange(find_, nullptr);
    if (find == nullptr || value.kind != Kind::string) {
        return std::nullopt;
    }
    const auto number = value.text.empty() ? std::nullopt : find(value.text);
    if (!number) {
        refuse("there is no '" + value.text + "'");
    }
    return number;
}

std::uint64_t JsonLoadArchive::whole(std::uint64_t most) {
    const JsonValue& value = take();
    if (const auto named = enumerator(value)) {
        return static_cast<std::uint64_t>(*named);
    }
    const auto number = value.as_unsigned();
    if (!number || *number > most) {
        refuse(range_text(value, std::uint64_t{0}, most));
    }
    return *number;
}

std::int64_t JsonLoadArchive::whole(std::int64_t least, std::int64_t most) {
    const JsonValue& value = take();
    if (const auto named = enumerator(value)) {
        return *named;
    }
    const auto number = value.as_signed();
    if (!number || *number < least || *number > most) {
        refuse(range_text(value, least, most));
    }
    return *number;
}

template <class Number>
Number JsonLoadArchive::real_number() {
    const std::string& text = take(Kind::number).text;
    const auto number = real_from<Number>(text);
    if (!number) {
        refuse(text + " is out of range");
    }
    return *number;
}

float JsonLoadArchive::real(float) {
    return real_number<float>();
}

double JsonLoadArchive::real(double) {
    return real_number<double>();
}

const std::string& JsonLoadArchive::string() {
    return take(Kind::string).text;
}

void JsonSaveArchive::separate(Node& node) {
    if (!node.empty) {
        json_ += ',';
    } else {
        json_ += node.named ? '{' : '[';
    }
    node.empty = false;
}

// A value without a name is the document, the value behind a name, or an element.
void JsonSaveArchive::before_value() {
    if (after_name_ || nodes_.empty()) {
        after_name_ = false;
        return;
    }
    sequence();
    separate(nodes_.back());
}

void JsonSaveArchive::name(const char* name) {
    if (nodes_.empty() || nodes_.back().listed) {
        throw std::runtime_error(std::string("'") + name + "' is a named value among nameless");
    }
    nodes_.back().named = true;
    separate(nodes_.back());
    append_json_string(json_, name);
    json_ += ':';
    after_name_ = true;
}

void JsonSaveArchive::sequence() {
    if (nodes_.empty() || nodes_.back().named) {
        throw std::runtime_error("a value without a name among named ones");
    }
    nodes_.back().listed = true;
}

void JsonSaveArchive::close() {
    const Node node = nodes_.back();
    nodes_.pop_back();
    if (node.empty) {
        json_ += node.listed ? "[]" : "{}";
    } else {
        json_ += node.named ? '}' : ']';
    }
}

void JsonSaveArchive::put(bool value) {
    before_value();
    json_ += value ? "true" : "false";
}

// Shortest text that reads back to the same bits.
template <class Number>
void JsonSaveArchive::put_number(Number value) {
    before_value();
    std::array<char, 32> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    json_.append(text.data(), end);
}

template <class Number>
void JsonSaveArchive::put_called(Number value) {
    if (called_.empty()) {
        put_number(value);
    } else {
        put(std::exchange(called_, {}));
    }
}

void JsonSaveArchive::put(std::uint64_t value) {
    put_called(value);
}

void JsonSaveArchive::put(std::int64_t value) {
    put_called(value);
}

template <class Number>
void JsonSaveArchive::put_finite(Number value) {
    if (!std::isfinite(value)) {
        throw std::runtime_error("JSON has no NaN and no infinity");
    }
    put_number(value);
}

void JsonSaveArchive::put(float value) {
    put_finite(value);
}

void JsonSaveArchive::put(double value) {
    put_finite(value);
}

void JsonSaveArchive::put(std::string_view value) {
    if (!is_utf8(value)) {
        throw std::runtime_error("a string is not UTF-8");
    }
    before_value();
    append_json_string(json_, value);
}

}  // namespace isotick::core
