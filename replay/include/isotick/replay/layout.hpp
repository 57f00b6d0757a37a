#pragma once
// Explains a recording's file byte by byte, damaged or not.

#include <isotick/core/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace isotick::replay {

/// Bytes of a file that mean one thing.
struct LayoutField {
    std::uint64_t offset = 0;  ///< in bytes from the start of the file
    std::uint64_t bytes = 0;
    std::string name;   ///< as FORMAT.md calls it
    std::string value;  ///< what stands there, and what that means
};

/// A head, a chunk, or a stretch of bytes that is neither.
struct LayoutBlock {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< 0: nothing; chunks are missing there
    /// `head`, `partial mark`, `tick chunk`, `final chunk`, `index`, `end mark`, `unknown chunk`,
    /// or `unknown` for bytes that are no chunk.
    std::string type;
    std::string summary;              ///< what it holds; empty where the fields say all
    std::string damage;               ///< what is wrong with it, one sentence; empty: nothing
    bool harmless = false;            ///< no tick is lost by the damage
    std::vector<LayoutField> fields;  ///< as far as they can be told
};

/// Walks over the blocks of a file from its first byte to its last; one follows the other without
/// gaps. Damage is not an error, not even to the head: then the chunks behind it are framed, but
/// what they hold is not looked into. Memory does not grow with the file. Not thread-safe.
class LayoutReader {
  public:
    /// Fails with `io` on what cannot be read or is no regular file, `damaged` on an empty file.
    [[nodiscard]] static core::Result<LayoutReader> open(const std::filesystem::path& path);
    ~LayoutReader();
    LayoutReader(LayoutReader&&) noexcept;
    LayoutReader& operator=(LayoutReader&&) noexcept;

    /// The size of the file when it was opened, in bytes.
    [[nodiscard]] std::uint64_t file_size() const;

    /// The next block; none at the end of the file.
    [[nodiscard]] core::Result<std::optional<LayoutBlock>> next();

  private:
    struct Impl;
    explicit LayoutReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace isotick::replay
