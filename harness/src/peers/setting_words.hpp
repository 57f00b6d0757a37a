#pragma once
// The settings of a link as words: the one table behind NetworkSpec::parse, from_parts and
// to_string.

#include <isotick/core/detail/word.hpp>
#include <isotick/harness/detail/link_settings.hpp>

#include <cstdint>
#include <span>

namespace isotick::harness {

using SettingWord = core::Word<LinkSettings>;

/// In the order of LinkSetting, in which they are printed, too.
[[nodiscard]] std::span<const SettingWord> setting_words();

/// Its bit in LinkRule::given.
[[nodiscard]] inline std::uint32_t bit_of(const SettingWord& word) {
    return 1U << static_cast<unsigned>(&word - setting_words().data());
}

[[nodiscard]] inline std::uint32_t all_bits() {
    return (1U << setting_words().size()) - 1;
}

/// All but the trace, which no profile has.
[[nodiscard]] inline std::uint32_t profile_bits() {
    return all_bits() & ~bit_of(LinkSetting::trace);
}

/// Copies the settings whose bits are in `given`.
void copy_settings(const LinkSettings& from, std::uint32_t given, LinkSettings& to);

}  // namespace isotick::harness
