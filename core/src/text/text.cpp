#include <isotick/core/detail/text.hpp>
#include <isotick/core/result.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <utility>

namespace isotick::core {
namespace {

constexpr int kMostExponent = 400;

std::string_view take_digits(std::string_view& text) {
    const auto end = std::ranges::find_if(text, [](char each) { return each < '0' || each > '9'; });
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
}

/// Takes an exponent, if there is one; false on nonsense.
bool take_exponent(std::string_view& text, int& exponent) {
    if (text.empty() || (text[0] != 'e' && text[0] != 'E')) {
        return true;
    }
    text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc() && exponent >= -kMostExponent && exponent <= kMostExponent;
}

unsigned digit_at(const DecimalDigits& digits, std::size_t index) {
    const std::size_t whole = digits.whole.size();
    if (index >= digits.size()) {
        return 0;
    }
    const char digit = index < whole ? digits.whole[index] : digits.fraction[index - whole];
    return static_cast<unsigned>(digit - '0');
}

}  // namespace

DecimalDigits DecimalDigits::take(std::string_view& text, char point) {
    DecimalDigits digits{.whole = take_digits(text), .fraction = {}};
    if (text.starts_with(point)) {
        text.remove_prefix(1);
        digits.has_point = true;
        digits.fraction = take_digits(text);
    }
    return digits;
}

std::optional<std::uint64_t> DecimalDigits::scaled(std::int64_t places) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::int64_t end = static_cast<std::int64_t>(whole.size()) + places;
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < end; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (value == 0 && index >= size()) {
            break;
        }
        const unsigned digit = digit_at(*this, index);
        if (value > kMost / 10 || (value == kMost / 10 && digit > kMost % 10)) {
            return std::nullopt;
        }
        value = value * 10 + digit;
    }
    return value;
}

unsigned DecimalDigits::digit_after(std::int64_t places) const {
    const std::int64_t index = static_cast<std::int64_t>(whole.size()) + places;
    return index < 0 ? 0 : digit_at(*this, static_cast<std::size_t>(index));
}

std::size_t DecimalDigits::find_finer_than(std::size_t places) const {
    return fraction.find_first_not_of('0', std::min(places, fraction.size()));
}

Decimal scaled_decimal(std::string_view text, int places, char point) {
    constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
    const bool is_negative = text.starts_with('-');
    text.remove_prefix(is_negative ? 1 : 0);
    const DecimalDigits digits = DecimalDigits::take(text, point);
    int exponent = 0;
    if (digits.size() == 0 || !take_exponent(text, exponent) || !text.empty()) {
        return {0, DecimalProblem::not_a_number};
    }
    const auto floored = digits.scaled(places + exponent);
    const bool is_too_large = !floored || *floored > kMost;
    const std::uint64_t up = digits.digit_after(places + exponent) >= 5 ? 1 : 0;
    if (is_negative && (is_too_large || *floored + up > 0)) {
        return {0, DecimalProblem::negative};
    }
    return is_too_large ? Decimal{0, DecimalProblem::too_large}
                        : Decimal{static_cast<std::int64_t>(*floored + up)};
}

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

namespace {

/// `.667` of a fraction given in `decimals` digits, without trailing zeros; empty for zero.
std::string fraction_text(std::uint64_t fraction, std::size_t decimals) {
    if (fraction == 0) {
        return "";
    }
    std::string digits = std::to_string(fraction);
    digits.insert(0, decimals - digits.size(), '0');
    digits.erase(digits.find_last_not_of('0') + 1);
    return "." + digits;
}

}  // namespace

std::string share_text(std::uint32_t per_mille) {
    const std::uint32_t tenths = per_mille % 10;
    return std::to_string(per_mille / 10) + (tenths == 0 ? "" : "." + std::to_string(tenths)) + "%";
}

std::string quantity_text(std::uint64_t value, std::span<const Unit> units) {
    const auto unit =
        std::ranges::find_if(units, [value](const Unit& each) { return value >= each.size; });
    return std::to_string(value / unit->size) + fraction_text(value % unit->size, unit->decimals) +
           std::string(unit->name);
}

std::string quoted(std::string_view path) {
    std::string text = "\"";
    for (const char each : path) {
        text += each == '"' || each == '\\' ? "\\" : "";
        text += each;
    }
    return text + "\"";
}

std::string describe(const Error& error) {
    std::string text;
    if (!error.file.empty()) {
        text += printable(error.file) + ": ";
    }
    if (error.offset) {
        text += "at byte " + std::to_string(*error.offset) + ": ";
    }
    if (error.tick) {
        text += "tick " + std::to_string(*error.tick) + ": ";
    }
    return text + printable(error.message);
}

tl::unexpected<Error> fail(ErrorCode code, std::string message) {
    return tl::unexpected<Error>(Error{code, std::move(message), {}, {}, {}});
}

}  // namespace isotick::core
