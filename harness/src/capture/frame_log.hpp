#pragma once
// The frames of a capture while it is read: of every swap chain, since which one counts is known
// only at the end, and what goes into the line that says what was recognized.

#include <isotick/core/result.hpp>
#include <isotick/harness/capture.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// Consecutive frames, to be held against their timestamps. Nanoseconds.
struct FrameSpan {
    std::uint64_t frames = 0;
    std::int64_t length = 0;  ///< of all frames
    std::int64_t first_frame = 0;
    std::int64_t last_frame = 0;
    std::optional<std::int64_t> first_time;  ///< what the timestamps of first and last frame say
    std::int64_t last_time = 0;

    void add_frame(std::int64_t frame_ns);
    void add_time(std::int64_t time_ns);

    [[nodiscard]] bool has_times() const { return first_time && frames > 1; }
    /// Requires times.
    [[nodiscard]] std::int64_t between_times() const { return last_time - *first_time; }
    /// Whether frame times and timestamps agree within a share of one in `share`, and what first
    /// and last frame leave open. Requires times.
    [[nodiscard]] bool agrees(std::int64_t share) const;
};

/// The frames of one swap chain, or of all where there are none.
struct FrameStream {
    std::vector<std::int64_t> ends;
    FrameSpan span;
    std::uint64_t without_time = 0;  ///< rows that hold no frame time
};

/// Not thread-safe.
class FrameLog {
  public:
    static constexpr std::size_t kMostStreams = 4096;
    static constexpr std::size_t kMostNameBytes = 1024;

    /// The stream of that name, made where it is new. Valid until the next call.
    [[nodiscard]] core::Result<FrameStream*> stream(std::string_view name);

    /// Adds a frame. Fails beyond the limits on frames and on their sum.
    [[nodiscard]] core::Result<void> add(FrameStream& stream, std::int64_t frame_ns,
                                         std::optional<std::int64_t> time_ns);

    /// For the summary: `dropped 3 rows of generated frames`.
    void drop(std::string what) { dropped_.push_back(std::move(what)); }
    /// For the summary, behind a semicolon.
    void note(std::string text) { notes_.push_back(std::move(text)); }

    /// The stream with the most frames, the first of several. Fails where none holds a frame.
    [[nodiscard]] core::Result<FrameStream*> dominant();

    /// The end: the frames of `stream`, which is dominant, and the summary.
    [[nodiscard]] ImportedCapture finish(FrameStream& stream, const std::string& name,
                                         const std::string& format);

  private:
    void count_others(const FrameStream& stream);

    std::vector<FrameStream> streams_;
    std::map<std::string, std::size_t, std::less<>> index_;
    std::string last_name_;
    std::size_t last_ = 0;
    std::size_t frames_ = 0;
    std::vector<std::string> dropped_;
    std::vector<std::string> notes_;
};

/// Holds frame times against their timestamps, which `time_column` names, where there are any.
/// Fails where one of both must be in another unit; a smaller difference is a note in `log`.
[[nodiscard]] core::Result<void> check_span(const FrameSpan& span, const std::string& time_column,
                                            FrameLog& log);

/// `10:00.2`: minutes, seconds, tenths; less than a second exactly, `16.667ms`.
[[nodiscard]] std::string clock_text(std::int64_t nanoseconds);

/// `12 rows`, `1 row`.
[[nodiscard]] std::string counted_rows(std::uint64_t count);

}  // namespace isotick::harness
