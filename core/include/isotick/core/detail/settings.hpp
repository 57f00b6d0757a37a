#pragma once
// Key/value settings, and messages across the seam.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isotick::core {

// Key/value settings: a simulation's config and environment, a recording's notes.

/// Is told which settings somebody looks at. Called from any thread.
class ReadObserver {
  public:
    virtual ~ReadObserver() = default;
    /// The value of `key` is looked up; the key is NUL-terminated, and valid during the call.
    virtual void read(const char* key) = 0;
};

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

    /// Looks at every setting, for an observer.
    [[nodiscard]] const std::vector<Entry>& entries() const;

    /// Has `observer` told from now on what is looked up here and in copies of this object.
    void observe_reads(std::shared_ptr<ReadObserver> observer) { observer_ = std::move(observer); }

    friend bool operator==(const Settings& a, const Settings& b) {
        return a.entries_ == b.entries_;
    }

  private:
    std::vector<Entry> entries_;
    std::shared_ptr<ReadObserver> observer_;
};

/// `a=1 b=2`, for people to read.
[[nodiscard]] std::string to_string(const Settings& settings);

}  // namespace isotick::core

namespace isotick::core::detail {

// Messages and settings on their way across a C boundary: the seam, and the C API for games.

/// Copies `text` into the message, cut to its capacity. Does nothing where `message` is null or
/// has no room.
void write_message(isotick_message* message, const char* text);

/// Fails where Settings::set does, and on a null key or value.
[[nodiscard]] Result<Settings> settings_from_c(const isotick_setting* entries, std::uint32_t count);

/// Points into `settings`, which must outlive it unchanged.
[[nodiscard]] std::vector<isotick_setting> settings_as_c(const Settings& settings);

}  // namespace isotick::core::detail
