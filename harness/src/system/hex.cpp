#include "hex.hpp"

#include <array>
#include <cstddef>

namespace isotick::harness {
namespace {

using Pair = std::array<char, 2>;

constexpr std::array<Pair, 256> make_pairs() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<Pair, 256> pairs{};
    for (std::size_t byte = 0; byte < pairs.size(); ++byte) {
        pairs[byte] = {kDigits[byte >> 4U], kDigits[byte & 0xfU]};
    }
    return pairs;
}

constexpr std::array<Pair, 256> kPairs = make_pairs();

// 16 for what is no digit.
constexpr unsigned value_of(char digit) {
    if (digit >= '0' && digit <= '9') {
        return static_cast<unsigned>(digit - '0');
    }
    const char lower = static_cast<char>(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a') + 10 : 16;
}

}  // namespace

void append_hex(std::string& text, std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) {
        text.append(kPairs[byte].data(), 2);
    }
}

std::string hex_bytes(std::span<const std::uint8_t> bytes) {
    std::string text;
    append_hex(text, bytes);
    return text;
}

void append_hex(std::string& text, std::uint64_t hash) {
    std::array<char, 16> digits;
    for (std::size_t i = 0; i < 8; ++i) {
        const Pair& pair = kPairs[hash >> (56 - 8 * i) & 0xffU];
        digits[2 * i] = pair[0];
        digits[2 * i + 1] = pair[1];
    }
    text.append(digits.data(), digits.size());
}

std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) {
        return std::nullopt;
    }
    std::vector<std::uint8_t> bytes(digits.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned high = value_of(digits[2 * i]);
        const unsigned low = value_of(digits[2 * i + 1]);
        if (high > 15 || low > 15) {
            return std::nullopt;
        }
        bytes[i] = static_cast<std::uint8_t>(high << 4U | low);
    }
    return bytes;
}

std::optional<std::uint64_t> hash_from_hex(std::string_view digits) {
    const auto bytes = digits.size() == 16 ? bytes_from_hex(digits) : std::nullopt;
    if (!bytes) {
        return std::nullopt;
    }
    std::uint64_t hash = 0;
    for (const std::uint8_t byte : *bytes) {
        hash = hash << 8U | byte;
    }
    return hash;
}

}  // namespace isotick::harness
