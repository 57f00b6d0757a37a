#include "coverage.hpp"

#include <algorithm>

namespace isotick::core {

void Coverage::add_slowly(ByteRange range) {
    constexpr std::size_t kMany = 64;
    if (ranges_.size() >= 2 * merged_ + kMany) {
        merge();
    }
    ranges_.push_back(range);
}

void Coverage::merge() {
    std::sort(ranges_.begin(), ranges_.end());
    std::size_t kept = 0;
    for (const ByteRange& range : ranges_) {
        if (kept != 0 && range.begin <= ranges_[kept - 1].end) {
            ranges_[kept - 1].end = std::max(ranges_[kept - 1].end, range.end);
        } else {
            ranges_[kept++] = range;
        }
    }
    ranges_.resize(kept);
    merged_ = kept;
}

void Coverage::find_gaps(std::uint64_t size, std::vector<ByteRange>& gaps) {
    merge();
    merged_ = 0;
    gaps.clear();
    std::uint64_t seen = 0;
    for (const ByteRange& range : ranges_) {
        if (range.begin > seen) {
            gaps.push_back({seen, range.begin});
        }
        seen = range.end;
    }
    if (seen < size) {
        gaps.push_back({seen, size});
    }
}

}  // namespace isotick::core
