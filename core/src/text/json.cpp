// JSON values and strings, and inputs as JSON.

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/input_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace isotick::core {
namespace {

template <class T>
std::optional<T> whole_number(const JsonValue& value) {
    T number = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto [read, error] = std::from_chars(value.text.data(), end, number);
    const bool fits = value.kind == JsonValue::Kind::number && error == std::errc() && read == end;
    return fits ? std::optional(number) : std::nullopt;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
    const auto place = std::find_if(members.begin(), members.end(),
                                    [&](const JsonMember& member) { return member.name == name; });
    return place == members.end() ? nullptr : &place->value;
}

std::optional<std::uint64_t> JsonValue::as_unsigned() const {
    return whole_number<std::uint64_t>(*this);
}

std::optional<std::int64_t> JsonValue::as_signed() const {
    return whole_number<std::int64_t>(*this);
}

std::string_view to_string(JsonValue::Kind kind) {
    constexpr std::array<std::string_view, 6> kNames{"null",     "true or false", "a number",
                                                     "a string", "an array",      "an object"};
    return kNames[static_cast<std::size_t>(kind)];
}

void append_json_string(std::string& json, std::string_view text) {
    json += '"';
    while (!text.empty()) {
        const std::size_t end = text.find_first_of("\"\\");
        json += printable(text.substr(0, end));
        text.remove_prefix(std::min(end, text.size()));
        if (!text.empty()) {
            json += '\\';
            json += text.front();
            text.remove_prefix(1);
        }
    }
    json += '"';
}

std::string compact_json(std::string_view json) {
    std::string compact;
    compact.reserve(json.size());
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char letter = json[i];
        const bool is_space = std::string_view(" \t\n\r").find(letter) != std::string_view::npos;
        if (!in_string && is_space) {
            continue;
        }
        compact += letter;
        if (in_string && letter == '\\') {
            compact += json[++i];
        } else if (letter == '"') {
            in_string = !in_string;
        }
    }
    return compact;
}

}  // namespace isotick::core

namespace isotick::core::detail {

isotick_sink into(std::vector<std::uint8_t>& bytes) {
    return {&bytes, [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
                auto& to = *static_cast<std::vector<std::uint8_t>*>(context);
                const auto* first = static_cast<const std::uint8_t*>(data);
                to.insert(to.end(), first, first + size);
                return ISOTICK_OK;
            }};
}

void refuse_rest(std::size_t left) {
    if (left != 0) {
        throw std::runtime_error(std::to_string(left) + " bytes too many");
    }
}

}  // namespace isotick::core::detail
