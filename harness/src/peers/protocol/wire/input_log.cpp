#include "input_log.hpp"

#include <algorithm>

namespace isotick::harness {

void InputLog::append(std::span<const std::byte> entry, std::uint64_t count) {
    if (runs_.empty() || !std::ranges::equal(runs_.back().entry, entry)) {
        runs_.push_back({end_, core::Bytes(entry.begin(), entry.end())});
        bytes_ += entry.size() + sizeof(Run);
    }
    end_ += count;
}

std::size_t InputLog::find(std::uint64_t tick) const {
    // What is asked for is nearly always among the latest.
    std::size_t run = runs_.size() - 1;
    for (std::size_t tries = 0; tries < 4 && run > front_ && runs_[run].first > tick; ++tries) {
        --run;
    }
    if (runs_[run].first <= tick) {
        return run;
    }
    const auto kept = std::span(runs_).subspan(front_);
    const auto after = std::ranges::upper_bound(kept, tick, {}, &Run::first);
    return front_ + static_cast<std::size_t>(after - kept.begin()) - 1;
}

std::span<const std::byte> InputLog::at(std::uint64_t tick) const {
    return runs_[find(tick)].entry;
}

void InputLog::forget_before(std::uint64_t tick) {
    if (tick <= begin_) {
        return;
    }
    begin_ = std::min(tick, end_);
    for (; runs_.size() > front_ + 1 && runs_[front_ + 1].first <= begin_; ++front_) {
        bytes_ -= runs_[front_].entry.size() + sizeof(Run);
        core::Bytes().swap(runs_[front_].entry);
    }
    if (front_ * 2 > runs_.size()) {  // so each moves once at most, on average
        runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(front_));
        front_ = 0;
    }
}

}  // namespace isotick::harness
