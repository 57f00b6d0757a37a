#pragma once
// A text line by line, in bounded memory.

#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace isotick::harness {

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

}  // namespace isotick::harness
