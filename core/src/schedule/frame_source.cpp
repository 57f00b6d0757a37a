#include "captured_item.hpp"
#include "draw_item.hpp"
#include "frame_generators.hpp"

#include <isotick/core/detail/frame_source.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace isotick::core {

/// Items are served in blocks: a mix draws one after the other, any other item is one block.
struct FrameSource::State {
    std::shared_ptr<const std::vector<ScheduleItem>> items;
    TickRate session_rate;
    FrameGenerator generator = ConstantFrames(ScheduleItem{});
    CaptureFrames capture{};  // instead of the generator, while `is_captured`
    bool is_captured = false;
    Pcg32 mix_random = Pcg32();
    std::size_t next_item = 0;
    std::uint64_t item_left = 0;   // frames of the item that are not in the block
    std::uint64_t block_left = 0;  // frames of the block
    std::uint64_t elapsed = 0;     // in this pass, as loops count it: negative frames are zero
    std::uint64_t repeats = 0;

    void start_item();
    void start_block();
    std::int64_t next();
};

void FrameSource::State::start_item() {
    if (next_item == items->size()) {
        next_item = 0;
        elapsed = 0;
        ++repeats;
    }
    const ScheduleItem& item = (*items)[next_item++];
    item_left = item.count == kEndless ? std::numeric_limits<std::uint64_t>::max() : item.count;
    mix_random = Pcg32(item.seed);
}

void FrameSource::State::start_block() {
    if (item_left == 0) {
        start_item();
    }
    const ScheduleItem& item = (*items)[next_item - 1];
    block_left = item_left;
    is_captured = item.kind == FrameKind::capture;
    if (is_captured) {
        capture = CaptureFrames(item);
    } else if (item.kind == FrameKind::mix) {
        const ScheduleItem block = draw_block(mix_random, session_rate);
        generator = make_frame_generator(block, session_rate, elapsed);
        block_left = std::min(item_left, block.count);
    } else {
        generator = make_frame_generator(item, session_rate, elapsed);
    }
    item_left -= block_left;
}

std::int64_t FrameSource::State::next() {
    if (block_left == 0) {
        start_block();
    }
    --block_left;
    const std::int64_t time =
        is_captured ? capture.next()
                    : std::visit([](auto& frames) { return frames.next(); }, generator);
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    elapsed =
        std::min(elapsed + static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)), kMost);
    return time;
}

FrameSource::FrameSource(std::shared_ptr<const std::vector<ScheduleItem>> items,
                         TickRate session_rate)
    : state_(
          std::make_unique<State>(State{.items = std::move(items), .session_rate = session_rate})) {
}

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
    return {state_->next()};
}

std::uint64_t FrameSource::repeats() const {
    return state_->repeats;
}

}  // namespace isotick::core
