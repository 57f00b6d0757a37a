#pragma once
// Writes a range of intact chunks as a recording of its own.

#include "chunk_chain.hpp"
#include "chunk_file.hpp"
#include "output_target.hpp"
#include "tail.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace isotick::replay {

/// Copies chunks of one file, as they are decoded, into a new recording. The chunks of a range
/// that begins where the source does are copied as they are; others get digests that begin with
/// the range. Destroyed without complete(), it leaves no new file. The source must outlive it.
class RangeWriter {
  public:
    /// Starts a recording of the ticks from `first_tick` on.
    [[nodiscard]] static core::Result<std::unique_ptr<RangeWriter>> create(
        const std::filesystem::path& path, bool overwrite, ChunkFile& source,
        std::uint64_t first_tick);
    RangeWriter(const RangeWriter&) = delete;
    RangeWriter& operator=(const RangeWriter&) = delete;

    /// Appends the tick chunk that `source` read last: `chunk`, whose header is `header`.
    [[nodiscard]] core::Result<void> add(const ChunkHeader& header, const TickChunk& chunk);
    /// Appends the end of a finished recording.
    [[nodiscard]] core::Result<void> end(FinalHashes final);
    /// Appends the end of a finished recording whose final chunk is lost, if that is known to have
    /// held nothing but digests. False if it held more.
    [[nodiscard]] core::Result<bool> end_anew();
    /// Copies `bytes` of the source from `offset` on: an optional chunk.
    [[nodiscard]] core::Result<void> copy(std::uint64_t offset, std::uint64_t bytes);

    /// Writes the tail behind the end, where there is one, closes and puts the file at its path.
    [[nodiscard]] core::Result<void> complete();

    [[nodiscard]] std::uint64_t end_tick() const { return chain_.next_tick(); }
    /// Bytes written so far.
    [[nodiscard]] std::uint64_t size() const { return target_.size(); }

  private:
    RangeWriter(ChunkFile& source, std::uint64_t first_tick, OutputTarget target);

    [[nodiscard]] core::Result<void> write_head();

    ChunkFile& source_;
    std::uint64_t first_tick_;
    OutputTarget target_;
    bool finished_ = false;
    ChunkChain chain_;
    ChunkIndex index_;
};

/// The final chunk's hashes after `ticks` ticks are all due there anyway, so that it holds digests
/// alone.
[[nodiscard]] bool final_is_implied(const HashStride& stride, std::uint64_t ticks);

}  // namespace isotick::replay
