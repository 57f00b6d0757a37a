#pragma once
// Lines of a recording as text, the limits on them, and the values in them.

#include <isotick/core/detail/json.hpp>
#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

// A text line by line, in bounded memory.

/// Reads from a stream, which must outlive it. Lines end with LF; the last need not.
class LineReader {
  public:
    /// Lines of more than `longest` bytes are refused; no more memory than twice that is used.
    LineReader(std::istream& stream, std::size_t longest) : stream_(stream), longest_(longest) {}

    /// Goes to the next line that is not blank. False at the end. Fails with `io` where the stream
    /// does, `limit` on a line that is too long.
    [[nodiscard]] core::Result<bool> next();

    /// The line, without its LF; valid until the next call of next.
    [[nodiscard]] std::string_view line() const { return line_; }
    /// Its number, counted from 1.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    /// Whether it ended with the stream instead of with an LF.
    [[nodiscard]] bool is_open() const { return is_open_; }

  private:
    [[nodiscard]] core::Result<bool> next_of_any_kind();
    [[nodiscard]] core::Result<bool> fill();

    std::istream& stream_;
    std::size_t longest_;
    std::string buffer_;
    std::size_t at_ = 0;  // where the next line begins in the buffer
    std::string_view line_;
    std::uint64_t number_ = 0;
    bool is_open_ = false;
    bool ended_ = false;
};

// What the text form of recordings is called, and how much of it there may be (TEXT.md).

inline constexpr std::string_view kTextFormat = "isotick-text";
inline constexpr std::uint64_t kTextVersion = 1;
inline constexpr std::string_view kWorldKey = "world";

/// Of one line, in bytes: more than the inputs take that fit a recording, in hexadecimal.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 28;

/// Descriptions in one line, in bytes; what is beyond is written in hexadecimal.
inline constexpr std::size_t kMostDescribed = std::size_t{1} << 26;

inline constexpr std::size_t kDeepestValue = 36;
inline constexpr std::size_t kMostValues = std::size_t{1} << 19;

inline constexpr std::uint64_t kMostRepeats = 100'000'000;
inline constexpr std::uint64_t kMostTextTicks = 1'000'000'000'000;

// What the values in a line of text mean.

/// Something in a line makes no sense. Thrown, and caught where the line's number is known.
struct BadText {
    std::size_t offset = 0;  ///< in the line, in bytes
    std::string message;
    core::ErrorCode code = core::ErrorCode::damaged;
};

// All of these throw BadText where the value is something else.

/// Refuses members of an object other than `known`.
void check_members(const core::JsonValue& object, std::initializer_list<std::string_view> known);
void expect(const core::JsonValue& value, core::JsonValue::Kind kind, std::string_view name);

[[nodiscard]] std::uint64_t number_from(const core::JsonValue& value, std::string_view name,
                                        std::uint64_t least, std::uint64_t most);
[[nodiscard]] bool truth_from(const core::JsonValue& value, std::string_view name);
/// A string, or {"hex":"…"} for one that is not UTF-8.
[[nodiscard]] std::string text_from(const core::JsonValue& value, std::string_view name);
/// An object, or a list of pairs for keys that are not UTF-8.
[[nodiscard]] core::Settings settings_from_text(const core::JsonValue& value,
                                                std::string_view name);
[[nodiscard]] std::uint64_t hash_from(const core::JsonValue& value, std::string_view name);
/// `"1/60"`, in seconds.
[[nodiscard]] core::TickDt dt_from(const core::JsonValue& value);
[[nodiscard]] std::vector<core::PartHash> parts_from(const core::JsonValue& value);

/// The hashes of one state, as far as they are given.
struct TextHashes {
    core::StateHash state;
    std::vector<core::PartHash> parts;
};
/// `{"hash":"…","parts":["…"]}`
[[nodiscard]] TextHashes state_from(const core::JsonValue& value, std::string_view name);

}  // namespace isotick::harness
