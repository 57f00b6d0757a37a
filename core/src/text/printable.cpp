#include <isotick/core/detail/text/printable.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace isotick::core {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

/// A code point and how many bytes of UTF-8 it takes; 0 where they are not UTF-8.
struct CodePoint {
    char32_t value = 0;
    std::size_t size = 0;
};

unsigned char byte_at(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

CodePoint first_of(std::string_view text) {
    constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
    const unsigned char lead = byte_at(text, 0);
    if (lead < 0x80) {
        return {lead, 1};
    }
    const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < size) {
        return {};
    }
    char32_t value = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte_at(text, i) & 0xc0U) != 0x80) {
            return {};
        }
        value = value << 6U | (byte_at(text, i) & 0x3fU);
    }
    const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
    return value < kLeast[size] || value > 0x10ffff || is_surrogate ? CodePoint{}
                                                                    : CodePoint{value, size};
}

// Most text is nothing else.
bool is_plain(char letter) {
    return letter >= ' ' && letter <= '~';
}

bool is_between(char32_t value, char32_t first, char32_t last) {
    return value >= first && value <= last;
}

bool steers(char32_t value) {
    const bool is_control = value < 0x20 || is_between(value, 0x7f, 0x9f);
    const bool turns_text = is_between(value, 0x202a, 0x202e) ||
                            is_between(value, 0x2066, 0x2069) || value == 0x200e ||
                            value == 0x200f || value == 0x061c;
    return is_control || turns_text || value == 0x2028 || value == 0x2029;
}

void append_hex(std::string& shown, char32_t value, unsigned digits) {
    while (digits-- > 0) {
        shown += kHexDigits[value >> (4 * digits) & 0xfU];
    }
}

void append_escaped(std::string& shown, char32_t value) {
    constexpr std::string_view kNamed = "\n\r\t";
    constexpr std::string_view kNames = "nrt";
    const std::size_t named =
        value < 0x80 ? kNamed.find(static_cast<char>(value)) : std::string_view::npos;
    shown += '\\';
    if (named != std::string_view::npos) {
        shown += kNames[named];
    } else {
        shown += 'u';
        append_hex(shown, value, 4);
    }
}

std::string without_controls(std::string_view text, std::string_view allowed) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const CodePoint next = first_of(text);
        if (next.size == 0) {
            shown += "\\x";
            append_hex(shown, byte_at(text, 0), 2);
        } else if (steers(next.value) && allowed.find(text.front()) == std::string_view::npos) {
            append_escaped(shown, next.value);
        } else {
            shown += text.substr(0, next.size);
        }
        text.remove_prefix(std::max<std::size_t>(next.size, 1));
        const std::string_view plain(text.begin(), std::ranges::find_if_not(text, is_plain));
        shown += plain;
        text.remove_prefix(plain.size());
    }
    return shown;
}

}  // namespace

std::string printable(std::string_view text) {
    return without_controls(text, "");
}

std::string printable_lines(std::string_view text) {
    return without_controls(text, "\n\t");
}

}  // namespace isotick::core
