#pragma once
// What the text form of recordings is called, and how much of it there may be (TEXT.md).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isotick::harness {

inline constexpr std::string_view kTextFormat = "isotick-text";
inline constexpr std::uint64_t kTextVersion = 1;
inline constexpr std::string_view kWorldKey = "world";

/// Of one line, in bytes: more than the inputs take that fit a recording, in hexadecimal.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 28;

/// Descriptions in one line, in bytes; what is beyond is written in hexadecimal.
inline constexpr std::size_t kMostDescribed = std::size_t{1} << 26;

inline constexpr std::size_t kDeepestValue = 36;
inline constexpr std::size_t kMostValues = std::size_t{1} << 19;

inline constexpr std::uint64_t kMostRepeats = 100'000'000;
inline constexpr std::uint64_t kMostTextTicks = 1'000'000'000'000;

}  // namespace isotick::harness
