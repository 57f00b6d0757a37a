#pragma once
// Schedules from what real games did: captures of PresentMon, OCAT, CapFrameX and MangoHud, and
// plain lists of frame times. CAPTURES.md says how to make them and what is taken from them.

#include <isotick/core/detail/captured_frames.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// A capture as it was read.
struct ImportedCapture {
    std::vector<std::int64_t> ends;  ///< when each frame ended, as CapturedFrames::own takes them
    /// One line: what was recognized, how many frames there are, what was left out and why.
    std::string summary;
};

/// Reads the capture in the file at `path`. Its format is recognized by its header, never by its
/// name. Fails with the path, and line and column where a line is at fault: `io` where it cannot be
/// read or is no regular file, `damaged` where it is no capture or its frame times are not what
/// they must be, `limit` beyond a limit of CAPTURES.md. Memory: eight bytes a frame of every swap
/// chain in it, for a while twice that, whatever else the file holds.
[[nodiscard]] core::Result<ImportedCapture> import_capture(const std::string& path);

/// Likewise from a stream that can seek; `name` stands for the path.
[[nodiscard]] core::Result<ImportedCapture> import_capture(std::istream& stream,
                                                           const std::string& name);

/// Frame times as text that import_capture reads back: one to a line, with its unit.
[[nodiscard]] std::string to_plain_text(const std::vector<std::int64_t>& ends);

/// Reads each capture once, and keeps its frames where worker processes find them. Cheap to copy;
/// copies share what was read. Not thread-safe.
class Captures {
  public:
    Captures();

    /// For core::Schedule::parse: gives the frames of the files that a schedule names. Relative
    /// paths start at the process' working folder. May outlive this object.
    [[nodiscard]] core::FrameResolver resolver() const;

    /// The summaries of the captures read since the last call, in that order.
    [[nodiscard]] std::vector<std::string> take_summaries();

    /// The schedule that `text` means on a command line, by the first of these rules that fits:
    /// 1. it is one by the grammar of SCHEDULES.md, which may name captures; 2. it names a file
    /// that exists, or ends in .csv, .json, .log, .schedule or .txt: the file's capture, once from
    /// end to end, or the schedule that the file spells out (lines that begin with # are comments),
    /// which names no captures.
    /// A file whose own name is a schedule, such as 60hz, is written ./60hz.
    [[nodiscard]] core::Result<core::Schedule> read_schedule(std::string_view text) const;

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace isotick::harness
