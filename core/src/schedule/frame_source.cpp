#include "item_kind.hpp"

#include <isotick/core/detail/schedule/frame_source.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

namespace isotick::core {
namespace {

constexpr std::size_t kAhead = 32;

}  // namespace

struct FrameSource::State {
    std::shared_ptr<const std::vector<ScheduleItem>> items;
    FramesStart now;
    Frames frames{};                           // of the item
    std::uint64_t left = 0;                    // of them
    std::array<std::int64_t, kAhead> ahead{};  // taken from them already
    std::size_t at = 0;
    std::size_t end = 0;
    std::size_t next_item = 0;
    std::uint64_t repeats = 0;

    void start_item();
    void fill();
};

void FrameSource::State::start_item() {
    if (next_item == items->size()) {
        next_item = 0;
        now.elapsed = 0;
        ++repeats;
    }
    const ScheduleItem& item = (*items)[next_item++];
    left = is_endless(item) ? std::numeric_limits<std::uint64_t>::max() : item.count;
    frames = kind_of(item).frames(item, now);
}

void FrameSource::State::fill() {
    if (left == 0) {
        start_item();
    }
    at = 0;
    end = std::min<std::uint64_t>(left, kAhead);
    left -= end;
    const auto times = std::span(ahead).first(end);
    frames(times);
    now.pass(times);
}

FrameSource::FrameSource(std::shared_ptr<const std::vector<ScheduleItem>> items,
                         TickRate session_rate)
    : state_(std::make_unique<State>(State{.items = std::move(items), .now = {session_rate}})) {}

FrameSource::FrameSource(const FrameSource& other)
    : state_(std::make_unique<State>(*other.state_)) {}

FrameSource& FrameSource::operator=(const FrameSource& other) {
    state_ = std::make_unique<State>(*other.state_);
    return *this;
}

FrameSource::FrameSource(FrameSource&&) noexcept = default;
FrameSource& FrameSource::operator=(FrameSource&&) noexcept = default;
FrameSource::~FrameSource() = default;

FrameTime FrameSource::next() {
    if (state_->at == state_->end) {
        state_->fill();
    }
    return {state_->ahead[state_->at++]};
}

std::uint64_t FrameSource::repeats() const {
    return state_->repeats;
}

}  // namespace isotick::core
