// Writes the intact ticks of a damaged recording as a whole one.

#include "../format/bytes.hpp"
#include "../read/chunk_chain.hpp"
#include "../read/chunk_file.hpp"
#include "../read/chunk_scan.hpp"
#include "../read/survey.hpp"
#include "../read/tail.hpp"
#include "output_target.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/new_file.hpp>
#include <isotick/replay/repair.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace isotick::replay {

// Writes intact chunks as a recording of their own.

/// Copies the first chunks of one file, as they are decoded, into a new recording. Destroyed
/// without complete(), it leaves no new file. The source must outlive it.
class RangeWriter {
  public:
    /// Starts a recording with the head of `source`, but for the notes where there are others.
    [[nodiscard]] static core::Result<std::unique_ptr<RangeWriter>> create(
        const std::string& path, const RepairOptions& options, ChunkFile& source);
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

    [[nodiscard]] core::Result<void> write_head(const RepairOptions& options);

    ChunkFile& source_;
    OutputTarget target_;
    std::uint64_t head_size_ = 0;
    bool finished_ = false;
    ChunkChain chain_;
    ChunkIndex index_;
};

namespace {

using core::Result;

constexpr std::uint64_t kCopiedAtOnce = std::uint64_t{1} << 16;

}  // namespace

RangeWriter::RangeWriter(ChunkFile& source, OutputTarget target)
    : source_(source), target_(std::move(target)), chain_(source.head()) {}

Result<std::unique_ptr<RangeWriter>> RangeWriter::create(const std::string& path,
                                                         const RepairOptions& options,
                                                         ChunkFile& source) {
    ISOTICK_TRY_ASSIGN(auto target, OutputTarget::open(path, {.overwrite = options.overwrite,
                                                              .appearance = Appearance::complete}));
    std::unique_ptr<RangeWriter> writer(new RangeWriter(source, std::move(target)));
    ISOTICK_TRY(writer->write_head(options));
    return writer;
}

Result<void> RangeWriter::write_head(const RepairOptions& options) {
    Bytes bytes(source_.head().size);
    if (options.notes) {
        RecordingHead head = source_.head().head;
        head.notes = *options.notes;
        const DecodedHead& read = source_.head();
        ISOTICK_TRY_ASSIGN(bytes, encode_head(head, {read.initial_state, read.initial_parts}));
    } else {
        ISOTICK_TRY(source_.read_raw(0, bytes));
    }
    head_size_ = bytes.size();
    return target_.write(bytes);
}

Result<void> RangeWriter::add(const ChunkHeader& header, const TickChunk& chunk) {
    const std::span<const std::byte> payload = source_.payload();
    chain_.add(chunk);
    Bytes end;
    put(end, checksum(payload));
    index_.offsets.push_back(target_.size());
    return target_.write(encode_chunk_header(header))
        .and_then([&] { return target_.write(payload); })
        .and_then([&] { return target_.write(end); });
}

Result<void> RangeWriter::end(FinalHashes final) {
    chain_.add(final);
    final.session_digest = chain_.session_digest();
    final.hash_digest = chain_.hash_digest();
    const Bytes end = frame_chunk({.type = kFinalChunk, .first = final.ticks}, encode_final(final));
    index_.ticks = final.ticks;
    finished_ = true;
    return target_.write(end);
}

Result<void> RangeWriter::copy(std::uint64_t offset, std::uint64_t bytes) {
    Bytes piece;
    while (bytes != 0) {
        piece.resize(static_cast<std::size_t>(std::min(bytes, kCopiedAtOnce)));
        ISOTICK_TRY(source_.read_raw(offset, piece));
        ISOTICK_TRY(target_.write(piece));
        offset += piece.size();
        bytes -= piece.size();
    }
    return {};
}

Result<void> RangeWriter::complete() {
    if (finished_) {
        const Bytes tail = encode_tail(index_, head_size_, target_.size());
        ISOTICK_TRY(target_.write(tail));
    }
    return target_.complete();
}

namespace {

using core::ErrorCode;
using core::Result;
using Kind = ScannedBlock::Kind;

// Fails if writing to `output` would change the source, or something that must not be replaced.
Result<void> check_output(const std::string& source, const std::string& output, bool overwrite) {
    const bool same = is_same_file(source, output);
    if (!same && (overwrite || kind_of(path_of(output)) == PathKind::nothing)) {
        return {};
    }
    const char* why = same ? "is the recording to repair, which is not changed; name another output"
                           : "exists already; nothing was written";
    return tl::unexpected<core::Error>(core::Error{ErrorCode::usage, why, output, {}, {}});
}

// The final chunk's hashes after `ticks` ticks are all due there anyway, so that it holds digests
// alone.
bool final_is_implied(const HashStride& stride, std::uint64_t ticks) {
    const core::Tick last{ticks - 1};
    return ticks == 0 || (stride.hash_due(last) && (!stride.has_parts() || stride.parts_due(last)));
}

// Finds out what survives, and writes the first ticks.
class Repair {
  public:
    Repair(ChunkFile& file, RangeWriter& writer, RepairReport& report)
        : file_(file), scan_(file), writer_(writer), report_(report) {}

    Result<void> run() {
        for (;;) {
            ISOTICK_TRY_ASSIGN(auto block, scan_.next());
            if (!block) {
                return conclude();
            }
            ISOTICK_TRY(take(*block));
        }
    }

  private:
    Result<void> take(ScannedBlock& block) {
        switch (block.kind) {
            case Kind::ticks:
                return take_ticks(block);
            case Kind::final:
                return take_final(block);
            case Kind::optional:
                return take_optional(block);
            case Kind::cut:
                report_.bytes_skipped += block.end - block.offset;
                return {};
            case Kind::damage:
                break;
        }
        end_is_damaged_ = end_is_damaged_ || !block.is_skipped_damage();
        is_damaged_ = is_damaged_ || !block.is_skipped_damage();
        report_.bytes_skipped += block.end - block.offset;
        report_.skipped.push_back({block.offset, block.end - block.offset, block.reason});
        return {};
    }

    Result<void> take_ticks(const ScannedBlock& block) {
        const TickChunk& chunk = scan_.ticks();
        const core::Tick first = chunk.first_tick();
        const core::Tick end{first.value + chunk.ticks()};
        end_is_damaged_ = false;
        last_is_short_ = chunk.ticks() < file_.chunk_ticks();
        final_.reset();
        if (block.proven) {
            report_.saved_ticks = end.value;
            return writer_.add(*block.header, chunk);
        }
        add_range(report_.not_saved, {first, end});
        return {};
    }

    Result<void> take_final(const ScannedBlock& block) {
        final_ = scan_.final();
        final_is_proven_ = block.proven;
        return block.proven ? writer_.end(*final_) : Result<void>();
    }

    // One that this version does not know may mean something to a newer one.
    Result<void> take_optional(const ScannedBlock& block) {
        if (is_known(*block.header) || !report_.not_saved.empty()) {
            return {};
        }
        return writer_.copy(block.offset, block.end - block.offset);
    }

    Result<void> conclude() {
        drop_other_ticks();
        ISOTICK_TRY_ASSIGN(const std::optional<std::uint64_t> end, known_end());
        const bool has_end = end && (final_ || final_is_implied(file_.head().head.stride(), *end));
        report_.was_finished = end.has_value();
        report_.unfinished = !final_ && !is_damaged_;
        report_.lost_final_hashes = end && !has_end;
        report_.finished = has_end && report_.saved_ticks == *end;
        note_lost(end);
        if (!report_.finished || final_is_proven_) {
            return {};
        }
        FinalHashes digests_alone;
        digests_alone.ticks = *end;
        return writer_.end(final_.value_or(digests_alone));
    }

    // Ticks that were found where they do not belong, and then where they do. Behind a proven end
    // there are only those of other recordings.
    void drop_other_ticks() {
        const core::Tick end{report_.saved_ticks};
        std::erase_if(report_.not_saved,
                      [&](const TickRange& range) { return final_is_proven_ || range.end <= end; });
        for (TickRange& range : report_.not_saved) {
            range.first = std::max(range.first, end);
        }
    }

    // How many ticks the recording had, if it was finished.
    Result<std::optional<std::uint64_t>> known_end() {
        const std::uint64_t found =
            report_.not_saved.empty() ? report_.saved_ticks : report_.not_saved.back().end.value;
        if (final_ && final_->ticks >= found) {
            return final_->ticks;
        }
        ISOTICK_TRY_ASSIGN(const auto tail, find_tail(file_));
        if (tail.index && tail.index->ticks >= found) {
            return tail.index->ticks;
        }
        return last_is_short_ ? std::optional(found) : std::nullopt;
    }

    void note_lost(std::optional<std::uint64_t> end) {
        core::Tick next{report_.saved_ticks};
        for (const TickRange& range : report_.not_saved) {
            if (range.first > next) {
                report_.lost.push_back({next, range.first});
            }
            next = range.end;
        }
        if (end && *end > next.value) {
            report_.lost.push_back({next, core::Tick{*end}});
        } else if (!end && end_is_damaged_) {
            report_.lost.push_back({next, std::nullopt});
        }
    }

    ChunkFile& file_;
    ChunkScan scan_;
    RangeWriter& writer_;
    RepairReport& report_;
    bool end_is_damaged_ = false;  // there is damage behind the latest ticks
    bool is_damaged_ = false;
    bool last_is_short_ = false;
    std::optional<FinalHashes> final_;
    bool final_is_proven_ = false;
};

}  // namespace

Result<RepairReport> repair(const std::string& source, const std::string& output,
                            const RepairOptions& options) {
    return guarded([&]() -> Result<RepairReport> {
        ISOTICK_TRY(check_output(source, output, options.overwrite));
        ISOTICK_TRY_ASSIGN(auto file, ChunkFile::open(source));
        RepairReport report;
        report.head = file.head().head;
        report.bytes = file.size();
        ISOTICK_TRY_ASSIGN(auto writer, RangeWriter::create(output, options, file));
        ISOTICK_TRY(Repair(file, *writer, report).run());
        ISOTICK_TRY(writer->complete());
        report.saved_bytes = writer->size();
        return report;
    });
}

}  // namespace isotick::replay
