#include "tick_cursor.hpp"

#include "../../platform/limits.hpp"

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

std::uint64_t memory_for_states() {
    constexpr std::uint64_t kUsualLimit = std::uint64_t{4} << 30U;
    return memory_limit().value_or(kUsualLimit) / 4;
}

}  // namespace

using core::Result;

Result<bool> TickCursor::advance() {
    if (remembers_ && position_ + 1 < past_.size()) {
        ++position_;
        return true;
    }
    auto more = ticks_.advance();
    if (!remembers_ || !more || !*more) {
        return more;
    }
    past_.push_back(copy_of_current());
    position_ = past_.size() - 1;
    if (position_ > kMostBack) {
        forget_oldest();
    }
    return true;
}

void TickCursor::forget_oldest() {
    spare_ = std::move(past_.front().before);
    kept_ -= spare_.capacity();
    past_.pop_front();
    --position_;
}

TickCursor::Past TickCursor::copy_of_current() const {
    Past past;
    past.tick = ticks_.tick();
    past.dt = ticks_.dt();
    past.state = ticks_.state_hash();
    const auto parts = ticks_.part_hashes();
    past.parts.assign(parts.begin(), parts.end());
    const auto inputs = ticks_.inputs();
    past.inputs.assign(inputs.begin(), inputs.end());
    for (const isotick_input& input : inputs) {
        past.bytes.insert(past.bytes.end(), input.data, input.data + input.size);
    }
    std::size_t at = 0;
    for (isotick_input& input : past.inputs) {
        input.data = input.present != 0 ? past.bytes.data() + at : nullptr;
        at += static_cast<std::size_t>(input.size);
    }
    return past;
}

core::Tick TickCursor::tick() const {
    return remembers_ ? here().tick : ticks_.tick();
}

std::span<const isotick_input> TickCursor::inputs() const {
    return remembers_ ? std::span<const isotick_input>(here().inputs) : ticks_.inputs();
}

std::optional<core::TickDt> TickCursor::dt() const {
    return remembers_ ? here().dt : ticks_.dt();
}

std::optional<core::StateHash> TickCursor::state_hash() const {
    return remembers_ ? here().state : ticks_.state_hash();
}

std::span<const core::PartHash> TickCursor::part_hashes() const {
    return remembers_ ? std::span<const core::PartHash>(here().parts) : ticks_.part_hashes();
}

std::optional<Rerun> TickCursor::rerun(std::uint64_t steps) const {
    if (!remembers_ || here().first_steps == steps) {
        return std::nullopt;
    }
    return Rerun{here().first_steps, back_from_};
}

Result<void> TickCursor::about_to_step(std::uint64_t steps) {
    if (!remembers_) {
        return {};
    }
    std::uint64_t& first_steps = past_[position_].first_steps;
    first_steps = first_steps == 0 ? steps : first_steps;
    return simulation_.can_save() ? keep_state() : Result<void>();
}

Result<void> TickCursor::keep_state() {
    kept_ -= std::exchange(past_[position_].before, {}).capacity();
    while (position_ > 0 && kept_ + size_ > memory_for_states()) {
        forget_oldest();
    }
    std::vector<std::byte>& before = past_[position_].before;
    before = std::move(spare_);
    auto saved = simulation_.save_into(before);
    size_ = before.capacity();
    kept_ += size_;
    if (!saved && saved.error().code == core::ErrorCode::limit) {
        return core::fail(
            core::ErrorCode::limit,
            "the loop goes back through snapshots, but not even one fits: raise --memory-limit");
    }
    return saved;
}

Result<std::uint64_t> TickCursor::go_back(std::uint64_t count) {
    if (!remembers_ || !simulation_.can_save()) {
        return core::fail(core::ErrorCode::usage,
                          "the loop goes back in time, which needs a simulation that takes "
                          "snapshots (save and load)");
    }
    const std::uint64_t undone = std::min<std::uint64_t>(count, position_);
    if (undone == 0) {
        return 0;
    }
    back_from_ = tick().value;
    position_ -= static_cast<std::size_t>(undone);
    return simulation_.load(here().before).map([undone] { return undone; });
}

}  // namespace isotick::harness
