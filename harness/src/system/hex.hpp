#pragma once
// Bytes and hashes as hexadecimal digits.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Two digits a byte, in lower case.
void append_hex(std::string& text, std::span<const std::uint8_t> bytes);

[[nodiscard]] std::string hex_bytes(std::span<const std::uint8_t> bytes);

/// Sixteen digits.
void append_hex(std::string& text, std::uint64_t hash);

/// The way back; none for anything else. Digits may be in upper case.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_from_hex(std::string_view digits);
[[nodiscard]] std::optional<std::uint64_t> hash_from_hex(std::string_view digits);

}  // namespace isotick::harness
