#include "type_survey.hpp"

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

void TypeSurvey::add(std::byte* address, const std::vector<ByteRange>& unseen) {
    ++objects_;
    addresses_.add(address);
    if (unseen.empty()) {
        return;
    }
    if (Group* const group = group_of(unseen)) {
        ++group->objects;
        group->addresses.add(address);
    } else {
        count(ungrouped_, unseen, 1);
    }
}

// Null if there are too many groups to make one more.
TypeSurvey::Group* TypeSurvey::group_of(const std::vector<ByteRange>& unseen) {
    if (last_group_ < groups_.size() && groups_[last_group_].unseen == unseen) {
        return &groups_[last_group_];
    }
    const auto place = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const Group& group) { return group.unseen == unseen; });
    last_group_ = static_cast<std::size_t>(place - groups_.begin());
    if (place == groups_.end()) {
        if (groups_.size() == kMostGroups) {
            return nullptr;
        }
        groups_.push_back({unseen, 0, SpreadSample<std::byte*>(options_.samples)});
    }
    return &groups_[last_group_];
}

// Unsigned, and so modulo 2^64: sums of steps come out right.
void TypeSurvey::count(Steps& steps, const std::vector<ByteRange>& unseen, std::uint64_t objects) {
    for (const ByteRange& range : unseen) {
        steps[range.begin] += objects;
        steps[range.end] -= objects;
    }
}

std::vector<std::byte*> TypeSurvey::places(ByteRange range) const {
    std::vector<std::byte*> places;
    for (const Group& group : groups_) {
        const bool unseen = std::any_of(
            group.unseen.begin(), group.unseen.end(),
            [&](const ByteRange& in) { return in.begin <= range.begin && range.end <= in.end; });
        for (std::byte* const address :
             unseen ? group.addresses.take() : std::vector<std::byte*>()) {
            places.push_back(address + range.begin);
        }
    }
    return SpreadSample<std::byte*>::thinned(std::move(places),
                                             std::max<std::size_t>(options_.samples, 2));
}

MemoryType TypeSurvey::finish() const {
    MemoryType type{name_, size_, objects_, made_up_, {}, addresses_.take()};
    Steps steps = ungrouped_;
    for (const Group& group : groups_) {
        count(steps, group.unseen, group.objects);
    }
    std::uint64_t objects = 0;
    std::uint64_t begin = 0;
    for (const auto& [offset, step] : steps) {
        if (objects != 0) {
            type.unseen.push_back({begin, offset - begin, objects, places({begin, offset})});
        }
        begin = offset;
        objects += step;
    }
    return type;
}

}  // namespace isotick::core
