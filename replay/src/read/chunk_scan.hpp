#pragma once
// Finds the chunks of a recording, also after damage: all that reads recordings is made of it.

#include "chunk_chain.hpp"
#include "chunk_file.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace isotick::replay {

// Finds where a chunk may begin.

/// Looks for chunks whose header is intact, going over each byte of the file once as long as it is
/// asked for ascending places. The ChunkFile must outlive it.
class MarkerSearch {
  public:
    explicit MarkerSearch(ChunkFile& file) : file_(file) {}

    /// The first place from `from` on where an intact chunk header of a type that is known or may
    /// be skipped stands, of a chunk within the file; the file's size where there is none.
    [[nodiscard]] core::Result<std::uint64_t> next(std::uint64_t from) {
        for (;;) {
            const auto marker = next_marker(from);
            if (!marker || *marker == file_.size()) {
                return marker;
            }
            if (const auto found = file_.find(*marker)) {
                if (found->header) {
                    return *marker;
                }
            } else if (found.error().code != core::ErrorCode::version) {
                return tl::unexpected(found.error());
            }
            from = *marker + 1;
        }
    }

  private:
    static constexpr std::size_t kWindow = std::size_t{1} << 16;

    core::Result<std::uint64_t> next_marker(std::uint64_t from) {
        while (from + kSyncMarker.size() <= file_.size()) {
            if (from < begin_ || from + kSyncMarker.size() > begin_ + window_.size()) {
                ISOTICK_TRY(load(from));
            }
            const auto marker = std::as_bytes(std::span(kSyncMarker));
            const auto start = window_.begin() + static_cast<std::ptrdiff_t>(from - begin_);
            const auto hit = std::search(start, window_.end(), marker.begin(), marker.end());
            if (hit != window_.end()) {
                return begin_ + static_cast<std::uint64_t>(hit - window_.begin());
            }
            from = begin_ + window_.size() - (kSyncMarker.size() - 1);  // it may straddle two
        }
        return file_.size();
    }

    core::Result<void> load(std::uint64_t from) {
        begin_ = from;
        window_.resize(
            static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, file_.size() - from)));
        auto read = file_.read_raw(from, window_);
        if (!read) {
            window_.clear();
        }
        return read;
    }

    ChunkFile& file_;
    Bytes window_;
    std::uint64_t begin_ = 0;
};

// A recording's bytes from the first chunk to the file's end, damage or not.

/// A stretch of a file's bytes. One follows the other without gaps.
struct ScannedBlock {
    enum class Kind {
        ticks,     ///< an intact tick chunk
        final,     ///< an intact final chunk
        optional,  ///< an intact chunk that costs no tick if it is skipped
        cut,       ///< the beginning of a chunk that the file ends within: of one never finished
        damage,    ///< bytes that are not what they must be; none of them where chunks are missing
    };
    Kind kind = Kind::damage;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;              ///< where the next one begins
    std::optional<ChunkHeader> header;  ///< of a chunk; of damage where the header is intact
    std::string reason;                 ///< of damage and of a chunk that is cut
    /// Of ticks and the final chunk: the digests show that it continues the recording from its
    /// first tick on. Of others behind damage that cannot be told.
    bool proven = false;

    [[nodiscard]] bool is(Kind other) const { return kind == other; }
    /// Damage to a chunk that readers skip.
    [[nodiscard]] bool is_skipped_damage() const {
        return kind == Kind::damage && header && is_optional(header->type);
    }
};

/// A scan tells so many damaged places apart, and looks into damaged chunks whose payloads have so
/// many times the file's bytes together. The rest of a file with more is one damaged place. Chunks
/// that are skipped anyway do not count: no byte of them is looked at twice.
inline constexpr std::uint64_t kMostDamages = 16'384;
inline constexpr std::uint64_t kMostDamagedPayload = 4;

/// Walks over the blocks of a file, going on behind damage at the next chunk whose header is
/// intact. Memory does not grow with the file. The ChunkFile must outlive it.
class ChunkScan {
  public:
    explicit ChunkScan(ChunkFile& file)
        : file_(file), search_(file), position_(file.head().size), chain_(file.head()) {}

    /// Goes on at `offset`, where ticks from `first_tick` on begin. What precedes it is not known,
    /// so that nothing can be proven.
    void start_at(std::uint64_t offset, std::uint64_t first_tick);

    /// The next block; none at the end of the file. Fails on a required chunk that only a newer
    /// isotick understands, and where the system does.
    [[nodiscard]] core::Result<std::optional<ScannedBlock>> next();

    /// What the latest block holds if it is of ticks, valid until the next; its payload is in the
    /// ChunkFile.
    [[nodiscard]] TickChunk& ticks() { return chunk_; }
    /// The same of a final chunk.
    [[nodiscard]] const FinalHashes& final() const { return final_; }

    /// Where the latest block is of ticks: merges the final chunk into ticks(), if it stands behind
    /// them with nothing but optional chunks between, is intact and belongs to them. True if so.
    [[nodiscard]] core::Result<bool> merge_final_behind();
    /// True if no intact ticks can follow: the end of the recording was found where it belongs.
    [[nodiscard]] bool ended() const { return ended_; }

  private:
    [[nodiscard]] core::Result<ScannedBlock> look();
    [[nodiscard]] core::Result<ScannedBlock> judge(const FoundChunk& found);
    [[nodiscard]] core::Result<ScannedBlock> judge_ticks(const FoundChunk& found);
    [[nodiscard]] core::Result<ScannedBlock> judge_final(const FoundChunk& found);
    [[nodiscard]] core::Result<ScannedBlock> judge_optional(const FoundChunk& found);
    [[nodiscard]] ScannedBlock intact(ScannedBlock::Kind kind, const FoundChunk& found,
                                      bool proven);
    [[nodiscard]] core::Result<ScannedBlock> damaged(const FoundChunk& found, std::string reason);
    [[nodiscard]] ScannedBlock behind_gap(ScannedBlock block, std::string reason);
    // Counts damage; true if there is too much of it to look further.
    [[nodiscard]] bool is_too_much(const ScannedBlock& damage);

    ChunkFile& file_;
    MarkerSearch search_;
    std::uint64_t position_;
    ChunkChain chain_;
    bool chain_intact_ = true;
    std::uint64_t expected_ = 0;          // the end of the latest ticks
    std::uint64_t loose_end_ = 0;         // the end of the latest ticks that are not proven
    std::optional<core::Digest> latest_;  // the session digest that the latest ticks end with
    bool ended_ = false;                  // by a final chunk
    bool after_damage_ = false;
    std::uint64_t damages_ = 0;
    std::uint64_t damaged_payload_ = 0;
    std::optional<ScannedBlock> pending_;       // what stands behind a gap that was just told
    std::optional<ScannedBlock> judged_final_;  // by merge_final_behind, further on
    TickChunk chunk_;
    FinalHashes final_;
};

}  // namespace isotick::replay
