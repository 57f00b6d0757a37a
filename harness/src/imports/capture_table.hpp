#pragma once
// A table of text columns, and the frame times that are read from it.

#include "text_lines.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/capture.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// The rows of a capture that is a table: lines cut into fields, in bounded memory.

inline constexpr std::size_t kLongestRow = 64 * 1024;

/// A line cut into its fields. Those in quotes may hold the delimiter, and come without their
/// quotes; doubled quotes in them stay doubled. White space around a field is left out.
class Fields {
  public:
    /// Of `line`, which must outlive them.
    void cut(std::string_view line, char delimiter);

    [[nodiscard]] std::size_t size() const { return fields_.size(); }
    [[nodiscard]] std::string_view operator[](std::size_t index) const { return fields_[index]; }
    /// Counted from 1, in bytes.
    [[nodiscard]] std::size_t column(std::size_t index) const {
        return static_cast<std::size_t>(fields_[index].data() - line_.data()) + 1;
    }

  private:
    std::string_view line_;
    std::vector<std::string_view> fields_;
};

/// The names in a header, in lower case, and where they stand.
class Header {
  public:
    Header() = default;
    explicit Header(std::string_view line);

    /// Comma, or where there is none semicolon or tabulator, as spreadsheets write them.
    [[nodiscard]] char delimiter() const { return delimiter_; }
    /// In numbers: a comma where fields are not cut by it may be one.
    [[nodiscard]] char point(std::string_view number) const;

    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
    /// As it is written there.
    [[nodiscard]] const std::string& spelling(std::size_t index) const { return names_[index]; }

  private:
    char delimiter_ = ',';
    std::vector<std::string> names_;
    std::vector<std::string> lower_;
};

/// `line 3, column 9: …`; `damaged` unless it says otherwise.
[[nodiscard]] tl::unexpected<core::Error> row_error(
    std::uint64_t line, std::size_t column, const std::string& problem,
    core::ErrorCode code = core::ErrorCode::damaged);

/// Takes the row that is in the fields.
using TakeRow = std::function<core::Result<void>(const Fields&, std::uint64_t line)>;

/// Gives all rows to `take`. Errors end it, but for the last line one that is `damaged`: a game
/// that crashed cuts it, and some tools leave a warning there. `needed` is how many fields a row
/// must have; the header's is how many it may. Returns why the last line was left out, if it was.
[[nodiscard]] core::Result<std::optional<std::string>> read_rows(LineReader& lines,
                                                                 const Header& header,
                                                                 std::size_t needed,
                                                                 const TakeRow& take);

/// Whether `text` in lower case is `lower`.
[[nodiscard]] bool is_word(std::string_view text, std::string_view lower);

/// Text in lower case, as far as it is ASCII.
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// A number of the field `index`, times 10^`decimals`; the error names line and column.
[[nodiscard]] core::Result<std::int64_t> number_in(const Fields& fields, std::size_t index,
                                                   const Header& header, int decimals,
                                                   std::uint64_t line);

/// Whether the field stands for a value that is not known.
[[nodiscard]] bool is_missing(std::string_view field);

// The frames of a capture while it is read: of every swap chain, since which one counts is known
// only at the end, and what goes into the line that says what was recognized.

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
