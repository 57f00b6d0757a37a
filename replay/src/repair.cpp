#include "chunk_scan.hpp"
#include "range_writer.hpp"
#include "tick_ranges.hpp"

#include <isotick/replay/new_file.hpp>
#include <isotick/replay/repair.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::Result;
using Kind = ScannedBlock::Kind;

// Fails if writing to `output` would change the source, or something that must not be replaced.
Result<void> check_output(const std::filesystem::path& source, const std::filesystem::path& output,
                          bool overwrite) {
    const bool same = is_same_file(source, output);
    if (!same && (overwrite || kind_of(output) == PathKind::nothing)) {
        return {};
    }
    const char* why = same ? "is the recording to repair, which is not changed; name another output"
                           : "exists already; nothing was written";
    return tl::unexpected<core::Error>(
        core::Error{ErrorCode::usage, why, path_text(output), {}, {}});
}

// Finds out what survives, and writes the first range.
class Repair {
  public:
    Repair(ChunkFile& file, std::unique_ptr<RangeWriter> writer, RepairReport& report)
        : file_(file), scan_(file), writer_(std::move(writer)), report_(report) {
        const core::Tick first{file.first_tick()};
        report_.ranges.push_back({.ticks = {first, first}});
    }

    Result<void> run() {
        for (;;) {
            auto block = scan_.next();
            if (!block) {
                return tl::unexpected(block.error());
            }
            if (!*block) {
                return conclude();
            }
            if (auto taken = take(**block); !taken) {
                return taken;
            }
        }
    }

    [[nodiscard]] RangeWriter& writer() { return *writer_; }
    /// The final chunk that was found, where there is one.
    [[nodiscard]] const std::optional<FinalHashes>& final() const { return final_; }

  private:
    Result<void> take(ScannedBlock& block) {
        switch (block.kind) {
            case Kind::ticks:
                return take_ticks(block);
            case Kind::final:
                return take_final(block);
            case Kind::optional:
                return take_optional(block);
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
            report_.ranges.front().ticks.end = end;
            return writer_->add(*block.header, chunk);
        }
        if (report_.ranges.size() > 1 && report_.ranges.back().ticks.end == first) {
            report_.ranges.back().ticks.end = end;
        } else {
            report_.ranges.push_back({.ticks = {first, end}});
        }
        return {};
    }

    Result<void> take_final(const ScannedBlock& block) {
        final_ = scan_.final();
        final_is_proven_ = block.proven;
        return block.proven ? writer_->end(*final_) : Result<void>();
    }

    // One that this version does not know may mean something to a newer one.
    Result<void> take_optional(const ScannedBlock& block) {
        if (is_known(*block.header) || report_.ranges.size() > 1) {
            return {};
        }
        return writer_->copy(block.offset, block.end - block.offset);
    }

    Result<void> conclude() {
        drop_other_ranges();
        const std::optional<std::uint64_t> end = known_end();
        report_.was_finished = end.has_value();
        report_.unfinished = !final_ && !is_damaged_;
        note_lost(end);
        SalvagedRange& last = report_.ranges.back();
        last.finished = end && last.ticks.end.value == *end &&
                        (final_ || final_is_implied(file_.head().head.stride(), *end));
        report_.lost_final_hashes =
            end && !final_ && !final_is_implied(file_.head().head.stride(), *end);
        if (report_.ranges.size() > 1 || !last.finished || final_is_proven_) {
            return {};
        }
        return final_ ? writer_->end(*final_) : writer_->end_anew().map([](bool) {});
    }

    // Ticks that were found where they do not belong, and then where they do. Behind a proven end
    // there are only those of other recordings.
    void drop_other_ranges() {
        std::vector<SalvagedRange>& ranges = report_.ranges;
        const core::Tick end = ranges.front().ticks.end;
        const auto is_other = [&](const SalvagedRange& range) {
            return final_is_proven_ || range.ticks.end <= end;
        };
        ranges.erase(std::remove_if(ranges.begin() + 1, ranges.end(), is_other), ranges.end());
        for (std::size_t i = 1; i < ranges.size(); ++i) {
            ranges[i].ticks.first = std::max(ranges[i].ticks.first, end);
        }
    }

    // How many ticks the recording had, if it was finished.
    std::optional<std::uint64_t> known_end() {
        const std::uint64_t found = report_.ranges.back().ticks.end.value;
        if (final_ && final_->ticks >= found) {
            return final_->ticks;
        }
        const auto tail = find_tail(file_);
        if (tail && tail->index && tail->index->ticks >= found) {
            return tail->index->ticks;
        }
        return last_is_short_ ? std::optional(found) : std::nullopt;
    }

    void note_lost(std::optional<std::uint64_t> end) {
        core::Tick next = report_.first_tick;
        for (const SalvagedRange& range : report_.ranges) {
            if (range.ticks.first > next) {
                report_.lost.push_back({next, range.ticks.first});
            }
            next = range.ticks.end;
        }
        if (end && *end > next.value) {
            report_.lost.push_back({next, core::Tick{*end}});
        } else if (!end && end_is_damaged_) {
            report_.lost.push_back({next, std::nullopt});
        }
    }

    ChunkFile& file_;
    ChunkScan scan_;
    std::unique_ptr<RangeWriter> writer_;
    RepairReport& report_;
    bool end_is_damaged_ = false;  // there is damage behind the latest ticks
    bool is_damaged_ = false;
    bool last_is_short_ = false;
    std::optional<FinalHashes> final_;
    bool final_is_proven_ = false;
};

// Writes the ranges behind the first, each to its path. Removes them again if it fails.
class LaterRanges {
  public:
    LaterRanges(ChunkFile& file, std::vector<SalvagedRange>& ranges, bool overwrite)
        : file_(file), scan_(file), ranges_(ranges), overwrite_(overwrite) {}

    Result<void> run(const std::optional<FinalHashes>& final) {
        auto written = write_all(final);
        if (!written && !overwrite_) {
            writer_.reset();
            for (std::size_t i = 1; i < at_; ++i) {
                remove_quietly(ranges_[i].path);
            }
        }
        return written;
    }

  private:
    Result<void> write_all(const std::optional<FinalHashes>& final) {
        while (at_ < ranges_.size()) {
            const auto block = scan_.next();
            if (!block) {
                return tl::unexpected(block.error());
            }
            if (!*block) {
                return file_.fail(ErrorCode::damaged, "changed while it was being read",
                                  file_.size());
            }
            if ((*block)->is(Kind::ticks)) {
                if (auto taken = take(*(*block)->header, final); !taken) {
                    return taken;
                }
            }
        }
        return {};
    }

    Result<void> take(const ChunkHeader& header, const std::optional<FinalHashes>& final) {
        SalvagedRange& range = ranges_[at_];
        const std::uint64_t next = writer_ ? writer_->end_tick() : range.ticks.first.value;
        if (header.first != next) {
            return {};
        }
        if (!writer_) {
            auto made = RangeWriter::create(range.path, overwrite_, file_, next);
            if (!made) {
                return tl::unexpected(made.error());
            }
            writer_ = *std::move(made);
        }
        if (auto added = writer_->add(header, scan_.ticks()); !added) {
            return added;
        }
        return writer_->end_tick() == range.ticks.end.value ? complete(range, final)
                                                            : Result<void>();
    }

    Result<void> complete(SalvagedRange& range, const std::optional<FinalHashes>& final) {
        if (range.finished) {
            auto ended = final ? writer_->end(*final) : writer_->end_anew().map([](bool) {});
            if (!ended) {
                return ended;
            }
        }
        auto completed = writer_->complete();
        range.bytes = writer_->size();
        if (completed) {
            writer_.reset();
            ++at_;
        }
        return completed;
    }

    ChunkFile& file_;
    ChunkScan scan_;
    std::vector<SalvagedRange>& ranges_;
    bool overwrite_;
    std::size_t at_ = 1;
    std::unique_ptr<RangeWriter> writer_;
};

Result<void> write_later_ranges(const std::filesystem::path& source,
                                const std::filesystem::path& output, bool overwrite,
                                ChunkFile& file, const std::optional<FinalHashes>& final,
                                RepairReport& report) {
    for (std::size_t i = 1; i < report.ranges.size(); ++i) {
        SalvagedRange& range = report.ranges[i];
        range.path = repaired_range_path(output, range.ticks.first);
        if (auto checked = check_output(source, range.path, overwrite); !checked) {
            return checked;
        }
    }
    return LaterRanges(file, report.ranges, overwrite).run(final);
}

}  // namespace

std::filesystem::path repaired_range_path(const std::filesystem::path& output, core::Tick first) {
    std::filesystem::path path = output;
    path.replace_extension("." + std::to_string(first.value));
    path += output.extension();
    return path;
}

Result<RepairReport> repair(const std::filesystem::path& source,
                            const std::filesystem::path& output, const RepairOptions& options) {
    if (auto checked = check_output(source, output, options.overwrite); !checked) {
        return tl::unexpected(checked.error());
    }
    auto file = ChunkFile::open(source);
    if (!file) {
        return tl::unexpected(file.error());
    }
    RepairReport report;
    report.head = file->head().head;
    report.first_tick = core::Tick{file->first_tick()};
    report.bytes = file->size();
    auto writer = RangeWriter::create(output, options.overwrite, *file, file->first_tick());
    if (!writer) {
        return tl::unexpected(writer.error());
    }
    Repair repair(*file, *std::move(writer), report);
    if (auto done = repair.run(); !done) {
        return tl::unexpected(done.error());
    }
    if (options.all_ranges) {
        if (auto written = write_later_ranges(source, output, options.overwrite, *file,
                                              repair.final(), report);
            !written) {
            return tl::unexpected(written.error());
        }
    }
    if (auto completed = repair.writer().complete(); !completed) {
        return tl::unexpected(completed.error());
    }
    report.ranges.front().path = output;
    report.ranges.front().bytes = repair.writer().size();
    return report;
}

}  // namespace isotick::replay
