#pragma once
// Saves what survives in a damaged recording as recordings that are whole.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/survey.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace isotick::replay {

struct RepairOptions {
    /// Replace outputs that exist: each is written beside the old one and renamed over it when it
    /// is complete. Without it an existing path is refused.
    bool overwrite = false;
    /// Write later ranges too, each as a partial recording of its own (see repaired_range_path).
    bool all_ranges = false;
};

/// Bytes of the source that were passed over.
struct SkippedBytes {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< 0: none; chunks are missing there
    std::string reason;       ///< one sentence, no trailing full stop
};

/// Ticks that no intact chunk holds.
struct LostTicks {
    core::Tick first;
    /// None: the recording's end is lost, so how many there were, and whether, is not known.
    std::optional<core::Tick> end;
};

/// Consecutive ticks that were found intact.
struct SalvagedRange {
    TickRange ticks;
    /// With the end of a finished recording: its final chunk, index and end mark.
    bool finished = false;
    std::filesystem::path path{};  ///< where they were written; empty: nowhere
    std::uint64_t bytes = 0;       ///< of that recording
};

/// What a repair found, and what became of it.
struct RepairReport {
    RecordingHead head;
    core::Tick first_tick;    ///< of the source: above 0 in a partial recording
    std::uint64_t bytes = 0;  ///< of the source
    /// In order; the first begins with first_tick, and is empty where that tick is lost.
    std::vector<SalvagedRange> ranges;
    std::vector<LostTicks> lost;        ///< in order
    std::vector<SkippedBytes> skipped;  ///< in order
    std::uint64_t bytes_skipped = 0;    ///< in all
    /// The recording was finished: by its final chunk, its index, or a last chunk that only a
    /// finished one has.
    bool was_finished = false;
    /// The source has no damage that costs a tick, but no end either.
    bool unfinished = false;
    /// The hash after the last tick, or the parts' hashes there, are lost: the final chunk alone
    /// held them, so the repaired recording has no end.
    bool lost_final_hashes = false;

    /// Everything that the source ever held was written to the first output.
    [[nodiscard]] bool complete() const {
        return lost.empty() && ranges.size() == 1 && !lost_final_hashes;
    }
};

/// Where repair writes the range that begins with `first`: `out.4096.isotick` beside
/// `out.isotick`.
[[nodiscard]] std::filesystem::path repaired_range_path(const std::filesystem::path& output,
                                                        core::Tick first);

/// Scans the whole of `source`, as survey does, and writes its first ticks up to the first that is
/// lost as a recording to `output`: everything that provably continues the first chunk, across
/// foreign bytes too. An intact source, and one whose damage costs neither tick nor hash, is
/// written as it was, byte by byte. A recording whose end is lost stays unfinished, and so without
/// a tail. The source is not changed.
///
/// Fails with `usage` before anything is written if an output exists (and overwrite is off) or is
/// the source itself under any name; else as survey does, and with `io` if an output cannot be
/// written. After a failure no new file is left. Reads the source once, with all_ranges twice.
/// Memory: one chunk and 8 bytes for each chunk of the recording being written (for its index),
/// and the report.
[[nodiscard]] core::Result<RepairReport> repair(const std::filesystem::path& source,
                                                const std::filesystem::path& output,
                                                const RepairOptions& options = {});

}  // namespace isotick::replay
