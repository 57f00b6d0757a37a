#pragma once
// Frame times that somebody measured, as schedules hold them. Where they come from (files, above
// all) is the business of whoever gives Schedule::parse a FrameResolver.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace isotick::core {

/// What keeps frames alive that CapturedFrames does not own.
class FrameKeeper {
  public:
    FrameKeeper() = default;
    virtual ~FrameKeeper() = default;
    FrameKeeper(const FrameKeeper&) = delete;
    FrameKeeper& operator=(const FrameKeeper&) = delete;
};

/// The frames of one capture, eight bytes each. Immutable, and held once however many schedules
/// play them; reads are thread-safe.
class CapturedFrames {
  public:
    static constexpr std::size_t kMostFrames = std::size_t{64} << 20;
    /// The longest that all frames of a capture may take together, nanoseconds.
    static constexpr std::int64_t kLongestCapture = 1'000'000'000'000'000'000;

    /// Of when each frame ended, in nanoseconds from the start of the first one; none ends before
    /// the one before it. Fails where there are none or too many, or a frame or all of them are
    /// longer than kLongestDuration and kLongestCapture.
    [[nodiscard]] static Result<std::shared_ptr<const CapturedFrames>> own(
        std::vector<std::int64_t> ends);

    /// Likewise, of ends that `keeper` (not null) keeps in place; they are not copied.
    [[nodiscard]] static Result<std::shared_ptr<const CapturedFrames>> view(
        std::span<const std::int64_t> ends, std::shared_ptr<const FrameKeeper> keeper);

    [[nodiscard]] std::span<const std::int64_t> ends() const { return ends_; }
    /// How long all frames take.
    [[nodiscard]] FrameTime length() const { return {ends_.back()}; }
    /// What `view` was given; null after `own`.
    [[nodiscard]] const FrameKeeper* keeper() const { return keeper_.get(); }

  private:
    CapturedFrames(std::vector<std::int64_t> owned, std::span<const std::int64_t> ends,
                   std::shared_ptr<const FrameKeeper> keeper);

    std::vector<std::int64_t> owned_;
    std::span<const std::int64_t> ends_;
    std::shared_ptr<const FrameKeeper> keeper_;
};

/// The frames of the capture that a schedule's text names by `path`. Its errors are passed on as
/// they are.
using FrameResolver =
    std::function<Result<std::shared_ptr<const CapturedFrames>>(const std::string& path)>;

/// A capture as an item of a schedule names it.
struct Capture {
    std::string path;  ///< as it is written, without the quotes
    std::shared_ptr<const CapturedFrames> frames;

    /// Equal are captures of one name with the same frames.
    friend bool operator==(const Capture& left, const Capture& right);
};

/// A capture, or none, that items share. Equal where what is shared is.
struct SharedCapture {
    std::shared_ptr<const Capture> capture;

    friend bool operator==(const SharedCapture& left, const SharedCapture& right) {
        return left.capture == right.capture ||
               (left.capture && right.capture && *left.capture == *right.capture);
    }
};

/// The longest name of a capture in a schedule, bytes.
inline constexpr std::size_t kMostPathBytes = 4096;

}  // namespace isotick::core
