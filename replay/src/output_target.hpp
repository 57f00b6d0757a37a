#pragma once
// Where a Writer's bytes go, and what becomes of them if it never finishes.

#include "file.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

namespace isotick::replay {

/// A new file at its final path, a temporary that replaces an old file when it is complete, or a
/// device. Destroyed without complete(), it keeps what was written in the first and last case and
/// removes the temporary in the other. Movable; not thread-safe.
class OutputTarget {
  public:
    [[nodiscard]] static core::Result<OutputTarget> open(const std::filesystem::path& path,
                                                         WriterOptions options);
    ~OutputTarget();
    OutputTarget(OutputTarget&& other) noexcept;
    OutputTarget& operator=(OutputTarget&&) = delete;

    /// Writes all of `bytes`; if that fails, cuts off what was written of them, where it can.
    [[nodiscard]] core::Result<void> write(std::span<const std::byte> bytes);

    /// Closes, and puts the file at its path.
    [[nodiscard]] core::Result<void> complete();

    /// Removes what open created: for failures before there is anything worth keeping.
    void discard();

    [[nodiscard]] std::uint64_t size() const { return size_; }

  private:
    enum class Way { exclusive, replace, special };

    OutputTarget(Way way, File file, std::filesystem::path path, std::filesystem::path temporary,
                 bool durable);

    Way way_;
    std::optional<File> file_;
    std::filesystem::path path_;
    std::filesystem::path temporary_;  // empty: nothing to remove
    bool durable_;
    std::uint64_t size_ = 0;
};

}  // namespace isotick::replay
