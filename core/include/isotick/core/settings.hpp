#pragma once
// Key/value settings: a simulation's config and environment, a recording's notes.

#include <isotick/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::core {

/// Settings as text, sorted by key and without duplicates, so that equal settings have equal bytes
/// wherever they are hashed or stored. Keys are not empty and hold neither `=` nor NUL; values
/// hold no NUL. Value semantics; reads are thread-safe.
class Settings {
  public:
    using Entry = std::pair<std::string, std::string>;

    /// Adds `key`, or replaces its value. Fails on a key or value outside the rules above.
    [[nodiscard]] Result<void> set(std::string key, std::string value);

    /// Adds one `key=value`, as given on a command line.
    [[nodiscard]] Result<void> set_text(std::string_view key_equals_value);

    /// The value of `key`, valid until this object changes; none where it is not set.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const;

    /// The whole-number value of `key`, or `fallback` where it is not set. Fails on a value that
    /// is not a number from `least` to `most`.
    [[nodiscard]] Result<std::uint64_t> number(std::string_view key, std::uint64_t fallback,
                                               std::uint64_t least, std::uint64_t most) const;

    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    friend bool operator==(const Settings&, const Settings&) = default;

  private:
    std::vector<Entry> entries_;
};

/// `a=1 b=2`, for people to read.
[[nodiscard]] std::string to_string(const Settings& settings);

}  // namespace isotick::core
