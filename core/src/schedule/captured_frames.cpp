#include <isotick/core/detail/schedule/captured_frames.hpp>
#include <isotick/core/detail/schedule/schedule_item.hpp>

#include <algorithm>
#include <utility>

namespace isotick::core {
namespace {

Result<void> check(std::span<const std::int64_t> ends) {
    if (ends.empty()) {
        return fail(ErrorCode::damaged, "the capture holds no frames");
    }
    if (ends.size() > CapturedFrames::kMostFrames) {
        return fail(ErrorCode::limit, "the capture holds more than " +
                                          std::to_string(CapturedFrames::kMostFrames) + " frames");
    }
    std::int64_t start = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const bool is_bounded = ends[i] >= start && ends[i] <= CapturedFrames::kLongestCapture;
        if (!is_bounded || ends[i] - start > kLongestDuration) {
            return fail(ErrorCode::damaged, "frame " + std::to_string(i) +
                                                " of the capture does not last 0ms to 3600s");
        }
        start = ends[i];
    }
    return {};
}

}  // namespace

CapturedFrames::CapturedFrames(std::vector<std::int64_t> owned, std::span<const std::int64_t> ends,
                               std::shared_ptr<const FrameKeeper> keeper)
    : owned_(std::move(owned)), ends_(keeper ? ends : owned_), keeper_(std::move(keeper)) {}

Result<std::shared_ptr<const CapturedFrames>> CapturedFrames::own(std::vector<std::int64_t> ends) {
    return check(ends).map([&ends] {
        return std::shared_ptr<const CapturedFrames>(
            new CapturedFrames(std::move(ends), {}, nullptr));
    });
}

Result<std::shared_ptr<const CapturedFrames>> CapturedFrames::view(
    std::span<const std::int64_t> ends, std::shared_ptr<const FrameKeeper> keeper) {
    return check(ends).map([&] {
        return std::shared_ptr<const CapturedFrames>(
            new CapturedFrames({}, ends, std::move(keeper)));
    });
}

bool operator==(const Capture& left, const Capture& right) {
    return left.path == right.path &&
           (left.frames == right.frames ||
            std::ranges::equal(left.frames->ends(), right.frames->ends()));
}

}  // namespace isotick::core
