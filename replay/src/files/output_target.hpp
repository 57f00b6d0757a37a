#pragma once
// Where a Writer's bytes go, and what becomes of them if it never finishes.

#include "file.hpp"
#include "unnamed_file.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <variant>

namespace isotick::replay {

/// A new file at its path, one that gets its name when it is complete, or what exists and is
/// written to as it is. Destroyed without complete(), it keeps what was written in the first and
/// last case; in the other nothing is left. Movable; not thread-safe.
class OutputTarget {
  public:
    [[nodiscard]] static core::Result<OutputTarget> open(const std::filesystem::path& path,
                                                         WriterOptions options);

    /// Writes all of `bytes`; if that fails, cuts off what was written of them, where it can.
    [[nodiscard]] core::Result<void> write(std::span<const std::byte> bytes);

    /// Closes, and puts the file at its path.
    [[nodiscard]] core::Result<void> complete();

    /// Removes what open created: for failures before there is anything worth keeping.
    void discard();

    /// Where other processes can open the file until it is complete.
    [[nodiscard]] std::filesystem::path place() const;

    [[nodiscard]] std::uint64_t size() const { return size_; }

  private:
    enum class Way { exclusive, unnamed, special };

    OutputTarget(Way way, std::variant<File, UnnamedFile> file, std::filesystem::path path,
                 WriterOptions options);

    [[nodiscard]] File& file();
    [[nodiscard]] bool is_lost();

    Way way_;
    std::variant<File, UnnamedFile> file_;
    std::filesystem::path path_;
    WriterOptions options_;
    std::uint64_t size_ = 0;
};

}  // namespace isotick::replay
