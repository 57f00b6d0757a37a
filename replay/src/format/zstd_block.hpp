#pragma once
// Blocks compressed with zstd: one frame each, without the frame's magic number.

#include "bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace isotick::replay {

/// Compresses blocks; keeps its tables from one to the next. Movable; not thread-safe.
class Compressor {
  public:
    Compressor();
    ~Compressor();
    Compressor(Compressor&&) noexcept;
    Compressor& operator=(Compressor&&) noexcept;

    /// The compressed block, valid until the next call; empty where zstd fails.
    [[nodiscard]] std::span<const std::byte> compress(std::span<const std::byte> raw);

  private:
    struct Context;
    std::unique_ptr<Context> context_;
    Bytes out_;
};

/// Decompresses what Compressor made. Movable; not thread-safe.
class Decompressor {
  public:
    Decompressor();
    ~Decompressor();
    Decompressor(Decompressor&&) noexcept;
    Decompressor& operator=(Decompressor&&) noexcept;

    /// The raw bytes, valid until the next call; none where the block is not intact or claims to
    /// be longer than `most` (nothing of that size is allocated then).
    [[nodiscard]] std::optional<std::span<const std::byte>> decompress(
        std::span<const std::byte> block, std::uint64_t most);

  private:
    struct Context;
    std::unique_ptr<Context> context_;
    Bytes frame_;
    Bytes out_;
};

}  // namespace isotick::replay
