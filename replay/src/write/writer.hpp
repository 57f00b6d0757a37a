#pragma once
// Writes a recording chunk by chunk.

#include "../format/tick_codec.hpp"
#include "../read/chunk_chain.hpp"
#include "../read/tail.hpp"
#include "output_target.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/stored_ticks.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/writer.hpp>

#include <cstdint>
#include <string>

namespace isotick::replay {

// Writes built chunks one after another: a recording.

/// Digests, encodes and writes chunks. After a failure nothing but destruction may follow.
/// Movable; not thread-safe.
class ChunkWriter {
  public:
    /// As Writer::create, but does not wait for the disk.
    [[nodiscard]] static core::Result<ChunkWriter> create(const std::string& path,
                                                          const RecordingHead& head,
                                                          const TickHashes& initial,
                                                          WriterOptions options);

    /// Where the file is to be durable, returns when the disk has the head and the file's name.
    [[nodiscard]] core::Result<void> sync_head() { return target_.sync(); }
    /// Makes the file vanish, where only its head was written.
    void discard() { target_.discard(); }

    /// Writes a full chunk, which continues those before.
    [[nodiscard]] core::Result<void> write(const StoredTicks& chunk);

    /// As Writer::finish; `open` is the last chunk, which may be empty.
    [[nodiscard]] core::Result<void> finish(const StoredTicks& open, const TickHashes& hashes);
    /// As Writer::leave_unfinished.
    [[nodiscard]] core::Result<void> leave_unfinished() { return target_.complete(); }

    [[nodiscard]] std::uint64_t written_through() const { return written_through_; }

    /// The digests over what was written and then the ticks of `open`, which may grow after that.
    [[nodiscard]] Digests digests(const StoredTicks& open);

  private:
    ChunkWriter(const RecordingHead& head, const TickHashes& initial, OutputTarget target);

    // The chunk, framed.
    [[nodiscard]] Bytes encode(const StoredTicks& chunk);
    [[nodiscard]] core::Result<FinalHashes> final_hashes(const TickHashes& hashes);

    HashStride stride_;
    OutputTarget target_;
    std::uint64_t head_size_ = 0;
    ChunkChain chain_;
    TickEncoder encoder_;
    ChunkIndex index_;
    std::uint64_t written_through_ = 0;
};

}  // namespace isotick::replay
