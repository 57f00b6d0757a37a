#pragma once
// Fields of a state picked by their paths, out of its field stream (core/FIELDS.md).

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace isotick::core {

/// Which fields are meant: a path as reports print it, `units[17].velocity.y`, `scores["ann"]`,
/// `ships[id=3]`, in which `[*]` stands for any index or key. A path that leads to an object or a
/// container means everything below it; the empty one means the whole state.
class FieldPattern {
  public:
    /// Fails with `usage` and the column at which `text` cannot be a path.
    [[nodiscard]] static Result<FieldPattern> parse(std::string_view text);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// Whether it has a `[*]`.
    [[nodiscard]] bool has_wildcard() const { return text_.find("[*]") != std::string::npos; }

  private:
    explicit FieldPattern(std::string_view text) : text_(text) {}

    std::string text_;
};

/// One value. Texts longer than about 60 characters are cut, which `…` shows.
struct SelectedField {
    std::string path;    ///< as reports print it; empty: the state is this one value
    std::string type;    ///< `f32`, `text`, `sequence` …, as core/FIELDS.md names it
    std::string value;   ///< text without quotes; floats so that they read back as the same
    std::string bits;    ///< of floats: `0x3dcccccd`; else empty
    bool empty = false;  ///< an object or a container with nothing in it
};

/// `0.1  (0x3dcccccd)`, `"ann"`: the value for people.
[[nodiscard]] std::string value_of(const SelectedField& field);

/// What select_fields came to.
struct FieldSelection {
    std::uint64_t total = 0;  ///< values that were handed out
    std::string missing;      ///< where there was none: which step does not exist, and what does
};

/// Hands each value that `pattern` means to `take`, in the order of the state; of a container
/// without elements, that it has none. The keys of maps are no values. The stream may be damaged or
/// hostile: fails with code `damaged` and the byte offset, after what came before was handed out.
/// What the pattern cannot mean is passed over. Takes memory for names only.
[[nodiscard]] Result<FieldSelection> select_fields(
    std::span<const std::byte> fields, const FieldPattern& pattern,
    const std::function<void(const SelectedField&)>& take);

}  // namespace isotick::core
