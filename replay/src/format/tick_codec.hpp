#pragma once
// The payload of a tick chunk (FORMAT.md, "Tick chunk").

#include "bytes.hpp"
#include "chunk_header.hpp"
#include "input_columns.hpp"
#include "zstd_block.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::replay {

/// Bits of the payload's first byte. All others must be zero.
inline constexpr std::uint8_t kInputsAreZstd = 1;  ///< the input block is compressed
inline constexpr std::uint8_t kHasDts = 2;         ///< a dt block stands behind the input block
inline constexpr std::uint8_t kDtsAreZstd = 4;     ///< only with kHasDts

/// Bytes of a digest in a file.
inline constexpr std::size_t kDigestSize = 16;
void put_digest(Bytes& out, const core::Digest& digest);
[[nodiscard]] core::Digest read_digest(ByteReader& in);

/// The running digests at one point of a recording.
struct Digests {
    core::Digest session;
    core::Digest hashes;
};

/// Makes payloads; keeps its buffers from one to the next.
class TickEncoder {
  public:
    explicit TickEncoder(const RecordingHead& head)
        : columns_(head.session.players + 1), constant_(head.session.rate) {}

    /// The payload, which ends with the digests up to its last tick; valid until the next call.
    [[nodiscard]] std::span<const std::byte> encode(const StoredTicks& ticks,
                                                    const Digests& digests);

  private:
    // Leaves the shortest form of a block in block_; true if that is compressed.
    [[nodiscard]] bool encode_inputs(const StoredTicks& ticks);
    void encode_inputs_as(PlaneChoice choice, const StoredTicks& ticks, Bytes& out) const;
    [[nodiscard]] bool encode_own_dts(const StoredTicks& ticks);
    // Compresses `raw` into block_ if that gets shorter and may decode to so much.
    [[nodiscard]] bool compress(const Bytes& raw, std::uint64_t decoded);
    void put_block();

    std::uint32_t columns_;  // players and the world
    core::TickDt constant_;
    Compressor compressor_;
    Bytes block_;
    Bytes raw_;
    Bytes payload_;
};

/// Reads payloads whose checksum was found right.
class TickDecoder {
  public:
    explicit TickDecoder(const RecordingHead& head)
        : stride_(head.stride()), players_(head.session.players), constant_(head.session.rate) {}

    /// Fills `chunk`. Fails with `damaged` on what is not well-formed, `version` on what only a
    /// newer isotick understands.
    [[nodiscard]] core::Result<void> decode(const ChunkHeader& header,
                                            std::span<const std::byte> payload, TickChunk& chunk);

  private:
    // The block that stands next; none where it is malformed.
    [[nodiscard]] std::optional<StoredBlock> read_block(ByteReader& in, bool zstd,
                                                        std::uint64_t most);
    [[nodiscard]] bool decode_inputs(ByteReader& in, bool zstd, TickChunk& chunk);
    [[nodiscard]] bool decode_own_dts(ByteReader& in, std::uint8_t flags, TickChunk& chunk);

    HashStride stride_;
    std::uint32_t players_;
    core::TickDt constant_;
    Decompressor decompressor_;
};

/// What the final chunk of a finished recording says about the state after its last tick.
struct FinalHashes {
    std::uint64_t ticks = 0;               ///< of the whole recording
    std::optional<core::StateHash> state;  ///< where the last tick chunk does not have it
    std::vector<core::PartHash> parts;     ///< where the last tick chunk does not have them
    core::Digest session_digest;
    core::Digest hash_digest;
};

/// The most bytes that the payload of a final chunk has.
inline constexpr std::size_t kLongestFinal = (1 + ISOTICK_MOST_PARTS) * 8 + 2 * kDigestSize;

[[nodiscard]] Bytes encode_final(const FinalHashes& final);

/// Reads a final chunk's payload; none where it is malformed.
[[nodiscard]] std::optional<FinalHashes> decode_final(const ChunkHeader& header,
                                                      std::span<const std::byte> payload,
                                                      const HashStride& stride);

/// Adds the final hashes to the last tick chunk.
void merge_final(const FinalHashes& final, TickChunk& chunk);

}  // namespace isotick::replay
