#include "field_text.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/hash.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace isotick::core {
namespace {

constexpr std::size_t kLongestText = 60;

std::uint64_t little_endian(const std::byte* bytes, std::uint32_t size) {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        value |= std::to_integer<std::uint64_t>(bytes[i]) << (8U * i);
    }
    return value;
}

template <class T>
std::string shortest(T value) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

std::int64_t signed_value(std::uint64_t bits, std::uint32_t size) {
    const unsigned unused = 64 - 8 * size;
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool is_signed(FieldToken integer) {
    return integer >= FieldToken::i8;
}

// Numbers floats so that neighbours differ by one; both zeros are the same.
std::int64_t ordered(std::uint64_t bits, FieldToken type) {
    const bool is_double = type == FieldToken::f64;
    const std::uint64_t sign = is_double ? std::uint64_t{1} << 63U : std::uint64_t{1} << 31U;
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::string counted(std::uint64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string cut_mark(std::uint64_t size, std::uint64_t end) {
    return size > end ? "…" : "";
}

// Cut behind a whole character of UTF-8, where it is one.
std::string_view beginning_of(std::string_view text) {
    constexpr std::size_t kLongestTail = 3;
    std::size_t end = std::min(text.size(), kLongestText);
    while (end < text.size() && end > kLongestText - kLongestTail &&
           (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
        --end;
    }
    return text.substr(0, end);
}

std::string text_value(FieldCursor& cursor, std::uint64_t from) {
    FieldRun run = cursor.run();
    const std::uint64_t start = std::min(run.size, from < kLongestText ? 0 : from);
    const FieldRun shown{run.offset + start, run.size - start};
    return (start == 0 ? "\"" : "…\"") +
           printable(beginning_of(cursor.copy(shown, kLongestText + 1))) + "\"" +
           cut_mark(shown.size, kLongestText);
}

std::string bytes_value(FieldCursor& cursor, std::uint64_t from) {
    constexpr std::uint64_t kMost = 24;
    constexpr std::string_view kDigits = "0123456789abcdef";
    const FieldRun run = cursor.run();
    const std::uint64_t start = std::min(run.size, from < kMost ? 0 : from);
    const FieldRun shown{run.offset + start, run.size - start};
    std::string text = start == 0 ? "" : "…";
    for (const char byte : cursor.copy(shown, kMost)) {
        const auto value = static_cast<unsigned char>(byte);
        text += kDigits[value >> 4U];
        text += kDigits[value & 0xfU];
    }
    text += cut_mark(shown.size, kMost);
    return text.empty() ? "no bytes" : text;
}

std::string named_value(FieldCursor& cursor) {
    const std::string name = name_text(cursor.copy(cursor.run(), kLongestText));
    const FieldToken type = cursor.number_type();
    const std::uint32_t size = number_size(type);
    const std::string number = number_text(type, cursor.at(cursor.offset(), size));
    cursor.skip(size);
    return name.empty() ? number : name + " (" + number + ")";
}

std::string fixed_value(FieldCursor& cursor) {
    const FixedType type = cursor.fixed_type();
    const std::uint32_t size = number_size(type.number);
    const std::string text = fixed_text(type, cursor.at(cursor.offset(), size));
    cursor.skip(size);
    return text;
}

// What a value that is made of others is like; it is skipped.
std::string outline(FieldCursor& cursor) {
    const std::uint64_t start = cursor.offset();
    cursor.skip_value();
    const std::uint64_t end = cursor.offset();
    cursor.seek(start);
    const FieldToken token = cursor.take();
    std::string text = "{…}";
    if (token == FieldToken::none) {
        text = "none";
    } else if (token == FieldToken::array) {
        const std::uint32_t size = number_size(cursor.number_type());
        text = counted(cursor.count(size), "element");
    } else if (token == FieldToken::entities) {
        cursor.run();
        text = counted(cursor.count(1), "element");
    } else if (token == FieldToken::sequence || token == FieldToken::map) {
        text = counted(cursor.count(1), "element");
    }
    cursor.seek(end);
    return text;
}

}  // namespace

std::string fixed_text(FixedType type, const std::byte* bytes) {
    constexpr std::uint64_t kLow = 0xffffffffU;
    const std::uint32_t size = number_size(type.number);
    const std::uint64_t bits = little_endian(bytes, size);
    const bool negative = is_signed(type.number) && signed_value(bits, size) < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(signed_value(bits, size)) : bits;
    const bool is_fraction = type.fraction_bits == 64;
    std::string text = negative ? "-" : "";
    text += std::to_string(is_fraction ? 0 : magnitude >> type.fraction_bits);
    // The bits behind the point, as a fraction of 2^64; each digit is what ten times that carries.
    std::uint64_t rest = magnitude << (64 - type.fraction_bits);
    text += rest == 0 ? "" : ".";
    while (rest != 0) {
        const std::uint64_t low = (rest & kLow) * 10;
        const std::uint64_t high = (rest >> 32U) * 10 + (low >> 32U);
        text += static_cast<char>('0' + (high >> 32U));
        rest = high << 32U | (low & kLow);
    }
    return text;
}

std::uint64_t integers_between(FieldToken type, const std::byte* a, const std::byte* b) {
    const std::uint32_t size = number_size(type);
    const std::uint64_t before = little_endian(a, size);
    const std::uint64_t after = little_endian(b, size);
    if (!is_signed(type)) {
        return before > after ? before - after : after - before;
    }
    const std::int64_t first = signed_value(before, size);
    const std::int64_t second = signed_value(after, size);
    const auto distance = static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(second);
    return first > second ? distance : 0 - distance;
}

bool is_float(FieldToken type) {
    return type == FieldToken::f32 || type == FieldToken::f64;
}

std::string number_text(FieldToken type, const std::byte* bytes) {
    const std::uint32_t size = number_size(type);
    const std::uint64_t bits = little_endian(bytes, size);
    switch (type) {
        case FieldToken::f32:
            return shortest(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        case FieldToken::f64:
            return shortest(std::bit_cast<double>(bits));
        case FieldToken::boolean:
            return bits == 0 ? "false" : "true";
        case FieldToken::i8:
        case FieldToken::i16:
        case FieldToken::i32:
        case FieldToken::i64:
            return std::to_string(signed_value(bits, size));
        default:
            return std::to_string(bits);
    }
}

std::string bits_text(FieldToken type, const std::byte* bytes) {
    const std::uint32_t size = number_size(type);
    return "0x" + to_hex(little_endian(bytes, size)).substr(16 - 2 * size);
}

std::optional<std::uint64_t> ulps_between(FieldToken type, const std::byte* a, const std::byte* b) {
    const std::uint32_t size = number_size(type);
    const std::uint64_t a_bits = little_endian(a, size);
    const std::uint64_t b_bits = little_endian(b, size);
    const std::uint64_t infinity =
        type == FieldToken::f64 ? 0x7ff0000000000000U : std::uint64_t{0x7f800000U};
    const std::uint64_t magnitude = type == FieldToken::f64 ? 0x7fffffffffffffffU : 0x7fffffffU;
    if (!is_float(type) || (a_bits & magnitude) > infinity || (b_bits & magnitude) > infinity) {
        return std::nullopt;
    }
    const auto distance = static_cast<std::uint64_t>(ordered(a_bits, type)) -
                          static_cast<std::uint64_t>(ordered(b_bits, type));
    return ordered(a_bits, type) >= ordered(b_bits, type) ? distance : 0 - distance;
}

std::string name_text(std::string_view text) {
    return printable(beginning_of(text)) + cut_mark(text.size(), kLongestText);
}

std::string value_text(FieldCursor& cursor, std::uint64_t from, int depth) {
    constexpr int kDeepest = 3;
    const std::uint64_t start = cursor.offset();
    const FieldToken token = cursor.take();
    if (const std::uint32_t size = number_size(token); size != 0) {
        const std::string text = number_text(token, cursor.at(cursor.offset(), size));
        cursor.skip(size);
        return text;
    }
    if (token == FieldToken::text) {
        return text_value(cursor, from);
    }
    if (token == FieldToken::bytes) {
        return bytes_value(cursor, from);
    }
    if (token == FieldToken::named) {
        return named_value(cursor);
    }
    if (token == FieldToken::fixed) {
        return fixed_value(cursor);
    }
    if (token == FieldToken::reference) {
        return "shared object " + std::to_string(cursor.varint());
    }
    if (token == FieldToken::shared && depth < kDeepest) {
        return "its own " + value_text(cursor, 0, depth + 1);
    }
    if (token == FieldToken::alternative && depth < kDeepest) {
        const std::string index = std::to_string(cursor.varint());
        return "alternative " + index + ": " + value_text(cursor, 0, depth + 1);
    }
    cursor.seek(start);
    return outline(cursor);
}

}  // namespace isotick::core
