#pragma once
// Finds the chunks of a recording, even after damage. All that reads recordings is built on it.

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

/// Looks for chunks with intact headers. Looks at each byte of the file once, as long as the places
/// asked for ascend. The ChunkFile must outlive it.
class MarkerSearch {
  public:
    explicit MarkerSearch(ChunkFile& file) : file_(file) {}

    /// The first place at or after `from` with the intact header of a chunk that lies within the
    /// file and whose type is known or may be skipped; the file's size if there is none.
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
            from = begin_ + window_.size() - (kSyncMarker.size() - 1);  // it may straddle windows
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

/// A stretch of a file's bytes. Blocks follow one another without gaps.
struct ScannedBlock {
    enum class Kind {
        ticks,     ///< an intact tick chunk
        final,     ///< an intact final chunk
        optional,  ///< an intact chunk that costs no tick if it is skipped
        cut,       ///< the start of an unfinished chunk: the file ends within it
        damage,    ///< bytes that are not what they must be; empty where chunks are missing
    };
    Kind kind = Kind::damage;
    std::uint64_t offset = 0;
    std::uint64_t end = 0;              ///< where the next one begins
    std::optional<ChunkHeader> header;  ///< of a chunk; of damage, if the header is intact
    std::string reason;                 ///< of damage and of a chunk that is cut
    /// For ticks and the final chunk: the digests show that all ticks from the recording's first
    /// one to these are those that were recorded. After lost ticks that cannot be shown.
    bool proven = false;

    [[nodiscard]] bool is(Kind other) const { return kind == other; }
    /// Damage to a chunk that readers skip.
    [[nodiscard]] bool is_skipped_damage() const {
        return kind == Kind::damage && header && is_optional(header->type);
    }
};

/// A scan distinguishes this many damaged places, and looks into damaged chunks whose payloads
/// total this many times the file's size. If there is more, the rest of the file is one damaged
/// place. Chunks that are skipped anyway do not count: none of their bytes is looked at twice.
inline constexpr std::uint64_t kMostDamages = 16'384;
inline constexpr std::uint64_t kMostDamagedPayload = 4;

/// Walks over the blocks of a file, going on behind damage at the next chunk whose header is
/// intact. Memory does not grow with the file. The ChunkFile must outlive it.
class ChunkScan {
  public:
    explicit ChunkScan(ChunkFile& file)
        : file_(file), search_(file), position_(file.head().size), chain_(file.head()) {}

    /// Continues at `offset`, where the ticks from `first_tick` on begin. What precedes them is
    /// unknown, so nothing can be proven.
    void start_at(std::uint64_t offset, std::uint64_t first_tick);

    /// The next block; none at the end of the file. Fails on a required chunk that only a newer
    /// isotick understands, and where reading fails.
    [[nodiscard]] core::Result<std::optional<ScannedBlock>> next();

    /// If the latest block is of ticks: what it holds, valid until the next block. Its payload is
    /// in the ChunkFile.
    [[nodiscard]] TickChunk& ticks() { return chunk_; }
    /// The same for a final chunk.
    [[nodiscard]] const FinalHashes& final() const { return final_; }

    /// If the latest block is of ticks: merges the final chunk into ticks(), provided that it
    /// follows them with only optional chunks in between, is intact, and belongs to them. Returns
    /// whether it did.
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
    std::optional<ScannedBlock> pending_;       // what follows a gap that was just returned
    std::optional<ScannedBlock> judged_final_;  // by merge_final_behind, which looks ahead
    TickChunk chunk_;
    FinalHashes final_;
};

}  // namespace isotick::replay
