#include "line_reader.hpp"

#include <isotick/core/detail/try.hpp>

#include <exception>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kPiece = 64 * 1024;

}  // namespace

Result<bool> LineReader::next() {
    for (;;) {
        auto there = next_of_any_kind();
        const bool blank = line_.find_first_not_of(" \t\r") == std::string_view::npos;
        if (!there || !*there || !blank) {
            return there;
        }
    }
}

Result<bool> LineReader::next_of_any_kind() {
    std::size_t searched = at_;
    for (;;) {
        const std::size_t end = buffer_.find('\n', searched);
        const std::size_t size = (end == std::string::npos ? buffer_.size() : end) - at_;
        if (size > longest_) {
            return core::fail(ErrorCode::limit, "line " + std::to_string(number_ + 1) +
                                                    " is longer than " + std::to_string(longest_) +
                                                    " bytes");
        }
        if (end != std::string::npos || (ended_ && size > 0)) {
            line_ = std::string_view(buffer_).substr(at_, size);
            is_open_ = end == std::string::npos;
            at_ = end == std::string::npos ? buffer_.size() : end + 1;
            ++number_;
            return true;
        }
        if (ended_) {
            return false;
        }
        searched = size;  // fill moves what is left to the front
        ISOTICK_TRY(fill());
    }
}

// Appends a piece of the stream to what is left of the buffer.
Result<bool> LineReader::fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kPiece);
    std::streamsize count = 0;
    try {
        stream_.read(buffer_.data() + before, static_cast<std::streamsize>(kPiece));
        count = stream_.gcount();
    } catch (const std::exception&) {  // a stream that was told to throw
        count = stream_.gcount();
    }
    buffer_.resize(before + static_cast<std::size_t>(count));
    if (stream_.bad()) {
        return core::fail(ErrorCode::io, "cannot be read");
    }
    ended_ = !stream_;
    return true;
}

}  // namespace isotick::harness
