#pragma once
// Saves the beginning of a damaged recording as one that is whole.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::replay {

struct RepairOptions {
    /// Replace an output that exists: it is written beside the old one and renamed over it when it
    /// is complete. Without it an existing path is refused.
    bool overwrite = false;
    /// In the place of the recording's own notes.
    std::optional<core::Settings> notes{};
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

/// What a repair found, and what became of it.
struct RepairReport {
    RecordingHead head;
    std::uint64_t bytes = 0;        ///< of the source
    std::uint64_t saved_ticks = 0;  ///< how many first ticks were written
    std::uint64_t saved_bytes = 0;  ///< of the output
    /// The output has the end of a finished recording: its final chunk, index and end mark.
    bool finished = false;
    /// Ticks behind those that are intact too, in order. They do not continue what was written, and
    /// a recording cannot begin with them, since the state before them is nowhere.
    std::vector<TickRange> not_saved;
    std::vector<LostTicks> lost;        ///< in order
    std::vector<SkippedBytes> skipped;  ///< in order
    std::uint64_t bytes_skipped = 0;    ///< in all, with those of a chunk that the file ends within
    /// The recording was finished: by its final chunk, its index, or a last chunk that only a
    /// finished one has.
    bool was_finished = false;
    /// The source has no damage that costs a tick, but no end either: its writer was interrupted,
    /// or it was cut, after a chunk or within one.
    bool unfinished = false;
    /// The hash after the last tick, or the parts' hashes there, are lost: the final chunk alone
    /// held them, so the repaired recording has no end.
    bool lost_final_hashes = false;

    /// Everything that the source ever held was written.
    [[nodiscard]] bool complete() const {
        return lost.empty() && not_saved.empty() && !lost_final_hashes;
    }
};

/// Scans the whole of `source`, as survey does, and writes its first ticks up to the first that is
/// lost as a recording to `output`: everything that provably continues the first chunk, across
/// foreign bytes too. An intact source, and one whose damage costs neither tick nor hash, is
/// written as it was, byte by byte, without a chunk that the file ends within. A recording whose
/// end is lost stays unfinished, and so without a tail. The source is not changed.
///
/// Fails with `usage` before anything is written if the output exists (and overwrite is off) or is
/// the source itself under any name; else as survey does, and with `io` if the output cannot be
/// written. After a failure no new file is left. Reads the source once. Memory: one chunk and 8
/// bytes for each chunk of the recording being written (for its index), and the report. Paths as
/// Reader::open takes them.
[[nodiscard]] core::Result<RepairReport> repair(const std::string& source,
                                                const std::string& output,
                                                const RepairOptions& options = {});

}  // namespace isotick::replay
