#pragma once
// Writes intact chunks as a recording of their own.

#include "../files/output_target.hpp"
#include "../read/chunk_chain.hpp"
#include "../read/chunk_file.hpp"
#include "../read/tail.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>

namespace isotick::replay {

/// Copies the first chunks of one file, as they are decoded, into a new recording. Destroyed
/// without complete(), it leaves no new file. The source must outlive it.
class RangeWriter {
  public:
    /// Starts a recording with the head of `source`.
    [[nodiscard]] static core::Result<std::unique_ptr<RangeWriter>> create(
        const std::filesystem::path& path, bool overwrite, ChunkFile& source);
    RangeWriter(const RangeWriter&) = delete;
    RangeWriter& operator=(const RangeWriter&) = delete;

    /// Appends the tick chunk that `source` read last, and that continues those before: `chunk`,
    /// whose header is `header`.
    [[nodiscard]] core::Result<void> add(const ChunkHeader& header, const TickChunk& chunk);
    /// Appends the end of a finished recording: `final` with the digests that continue the chunks.
    [[nodiscard]] core::Result<void> end(FinalHashes final);
    /// Copies `bytes` of the source from `offset` on: an optional chunk.
    [[nodiscard]] core::Result<void> copy(std::uint64_t offset, std::uint64_t bytes);

    /// Writes the tail behind the end, where there is one, closes and puts the file at its path.
    [[nodiscard]] core::Result<void> complete();

    /// Bytes written so far.
    [[nodiscard]] std::uint64_t size() const { return target_.size(); }

  private:
    RangeWriter(ChunkFile& source, OutputTarget target);

    [[nodiscard]] core::Result<void> write_head();

    ChunkFile& source_;
    OutputTarget target_;
    bool finished_ = false;
    ChunkChain chain_;
    ChunkIndex index_;
};

}  // namespace isotick::replay
