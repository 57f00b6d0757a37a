#pragma once
// Fields of a state picked by their paths, and digests of them.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

// Fields of a state picked by their paths, out of its field stream (core/FIELDS.md).

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

// One number for all fields of a kind, so that states can be compared field by field
// where neither their hashes nor the places of their fields are the same.

/// Digests of the fields of one state after another. A kind is a path with `[*]` for each index and
/// key, as in FieldKind; kinds are numbered in the order in which they first appear. Two digests
/// are equal where the values are, their types, their order and their number; what a container
/// holds counts for the kinds of its elements, how many and under which keys for its own. Not
/// thread-safe; movable.
class FieldDigests {
  public:
    FieldDigests();
    ~FieldDigests();
    FieldDigests(FieldDigests&&) noexcept;
    FieldDigests& operator=(FieldDigests&&) noexcept;

    /// Takes a state's field stream in place of the one before. It may be damaged or hostile: fails
    /// with `damaged` and the byte offset. Takes memory for kinds only.
    [[nodiscard]] Result<void> take(std::span<const std::byte> fields);

    /// How many kinds there were so far.
    [[nodiscard]] std::size_t kinds() const;
    [[nodiscard]] const std::string& kind(std::size_t number) const;
    /// Of the last state; 0 where it has no such field.
    [[nodiscard]] std::uint64_t digest(std::size_t number) const;

  private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace isotick::core
