#pragma once
// What the settings of a link are called and how each is written, read, checked and copied: the one
// table behind NetworkSpec::parse, from_parts and to_string.

#include <isotick/core/detail/text_cursor.hpp>
#include <isotick/harness/detail/link_settings.hpp>

#include <span>
#include <string>
#include <string_view>

namespace isotick::harness {

/// One setting. All that `read` does not set stays as it is.
struct SettingWord {
    std::string_view name;
    LinkSetting setting;
    /// From behind the name, `=` or `(` included.
    core::Result<void> (*read)(core::TextCursor&, const TraceResolver&, LinkSettings&);
    std::string (*text)(const LinkSettings&);  ///< with its name
    core::Problem (*problem)(const LinkSettings&);
    void (*copy)(const LinkSettings& from, LinkSettings& to);

    /// Whether both have the same value.
    [[nodiscard]] bool is_equal(const LinkSettings& left, const LinkSettings& right) const {
        LinkSettings changed = left;
        copy(right, changed);
        return changed == left;
    }
};

/// In the order in which they are printed.
[[nodiscard]] std::span<const SettingWord> setting_words();

/// All but the trace, which no profile has.
[[nodiscard]] std::uint32_t profile_bits();

/// Copies the settings whose bits are in `given`.
void copy_settings(const LinkSettings& from, std::uint32_t given, LinkSettings& to);

}  // namespace isotick::harness
