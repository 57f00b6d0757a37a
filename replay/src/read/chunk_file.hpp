#pragma once
// A recording as chunks at known offsets: what ChunkScan is made of.

#include "../format/chunk_header.hpp"
#include "../format/file.hpp"
#include "../format/tick_codec.hpp"
#include "tail.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace isotick::replay {

/// What stands at an offset: a chunk whose header is intact and which lies within the file, the
/// end of the file, or damage with its reason.
struct FoundChunk {
    std::uint64_t offset = 0;
    std::optional<ChunkHeader> header;
    std::string reason;  ///< of damage; empty at the end of the file
    /// The file ends within the chunk that begins here, as far as its bytes tell: a writer that was
    /// killed leaves that. It is damage only where an intact chunk follows; see ChunkScan.
    bool is_cut = false;

    [[nodiscard]] std::uint64_t end() const { return offset + header->chunk_size(); }
};

/// True if this version of isotick knows what a chunk of this type and version means.
[[nodiscard]] bool is_known(const ChunkHeader& header);

/// Reads and checks single chunks. Results that hold a reason: empty for success, else why the
/// bytes are damaged; their error side is what stops all reading (I/O, a newer version).
class ChunkFile {
  public:
    /// Opens a recording and reads its head.
    [[nodiscard]] static core::Result<ChunkFile> open(const std::string& path);

    [[nodiscard]] const DecodedHead& head() const { return head_; }
    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] std::uint32_t chunk_ticks() const { return chunk_ticks_; }

    /// What stands at `offset`; a required chunk of an unknown type or version is an error.
    [[nodiscard]] core::Result<FoundChunk> find(std::uint64_t offset);
    /// The first from `offset` on that is no optional chunk; a required one as find.
    [[nodiscard]] core::Result<FoundChunk> find_required(std::uint64_t offset);
    /// What stands at `offset`, known to this version or not.
    [[nodiscard]] core::Result<FoundChunk> look_at(std::uint64_t offset);

    /// Reads the payload of a found chunk into payload() and checks it.
    [[nodiscard]] core::Result<std::string> read_payload(const FoundChunk& found);
    /// The latest payload read; valid until the next.
    [[nodiscard]] std::span<const std::byte> payload() const { return payload_; }
    /// Checks the payload of a found chunk piece by piece, however long it is; keeps none of it.
    [[nodiscard]] core::Result<std::string> check_payload(const FoundChunk& found);

    /// Reads and decodes a found tick chunk.
    [[nodiscard]] core::Result<std::string> read_ticks(const FoundChunk& found, TickChunk& chunk);
    /// How many tick chunks were read and decoded so far.
    [[nodiscard]] std::uint64_t chunks_read() const { return chunks_read_; }

    /// Reads a found final chunk.
    [[nodiscard]] core::Result<std::string> read_final(const FoundChunk& found, FinalHashes& final);

    /// Reads `bytes` from `offset` on, as they are.
    [[nodiscard]] core::Result<void> read_raw(std::uint64_t offset, std::span<std::byte> bytes) {
        return file_.read_at(offset, bytes);
    }

    /// An error about this file.
    [[nodiscard]] tl::unexpected<core::Error> fail(core::ErrorCode code, std::string message,
                                                   std::uint64_t offset) const;

  private:
    ChunkFile(File file, std::string path, std::uint64_t size, DecodedHead head);

    File file_;
    std::string path_;
    std::uint64_t size_;
    DecodedHead head_;
    std::uint32_t chunk_ticks_;
    TickDecoder decoder_;
    std::uint64_t chunks_read_ = 0;
    Bytes payload_;
};

/// The tail of a recording, or what is wrong with it; neither where nothing looks like one.
struct FoundTail {
    std::optional<ChunkIndex> index;
    std::optional<Damage> damage;
};
[[nodiscard]] core::Result<FoundTail> find_tail(ChunkFile& file);

/// A file and its tail, as ChunkFile::open and find_tail give them.
struct OpenedFile {
    ChunkFile file;
    FoundTail tail;
};
[[nodiscard]] core::Result<OpenedFile> open_with_tail(const std::string& path);

}  // namespace isotick::replay
