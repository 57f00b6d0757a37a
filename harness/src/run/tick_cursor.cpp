#include "tick_cursor.hpp"

#include "../system/process.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

std::uint64_t memory_for_states() {
    constexpr std::uint64_t kUsualLimit = std::uint64_t{4} << 30U;
    return memory_limit().value_or(kUsualLimit) / 4;
}

std::uint64_t present_in(std::span<const isotick_input> inputs) {
    std::uint64_t present = 0;
    for (const isotick_input& input : inputs) {
        present += input.present;
    }
    return present;
}

}  // namespace

Result<bool> TickCursor::advance() {
    if (position_ + 1 < past_.size()) {
        tick_ = past_[++position_].tick;
        return true;
    }
    if (!ended_) {
        ISOTICK_TRY_ASSIGN(const bool more, ticks_.advance());
        ended_ = !more;
    }
    if (ended_) {
        tick_ = next_;
        position_ = past_.size();
        return false;
    }
    tick_ = ticks_.tick();
    next_ = core::Tick{tick_.value + 1};
    if (memory_ != TickMemory::none) {
        remember_current();
        position_ = past_.size() - 1;
    }
    if (memory_ == TickMemory::latest && position_ > kMostBack) {
        forget_oldest();
    }
    return true;
}

Result<RecordedState> TickCursor::skip(std::uint64_t count) {
    RecordedState state;
    for (std::uint64_t done = 0; done < count; ++done) {
        ISOTICK_TRY_ASSIGN(const bool more, ticks_.advance());
        if (!more) {
            return core::fail(ErrorCode::usage, "the course begins at tick " +
                                                    std::to_string(count) +
                                                    ", but the recording has only " +
                                                    std::to_string(done) + " ticks");
        }
        [[maybe_unused]] const auto inputs = edits_.of_tick(ticks_.tick(), ticks_.inputs());
        if (done + 1 == count) {
            const auto parts = ticks_.part_hashes();
            state = {ticks_.state_hash(), {parts.begin(), parts.end()}};
        }
    }
    next_ = core::Tick{count};
    return state;
}

void TickCursor::remember_current() {
    Past past;
    if (!spare_.empty()) {
        past = std::move(spare_.back());
        spare_.pop_back();
    }
    past.tick = ticks_.tick();
    past.dt = ticks_.dt();
    past.state = ticks_.state_hash();
    const auto parts = ticks_.part_hashes();
    past.parts.assign(parts.begin(), parts.end());
    past.inputs_present = present_in(ticks_.inputs());
    past.is_saved = false;
    past.first_steps = 0;
    own_inputs(ticks_.inputs(), past);
    past_.push_back(std::move(past));
}

// They may point into what `past` owns so far.
void TickCursor::own_inputs(std::span<const isotick_input> inputs, Past& past) {
    bytes_.clear();
    for (const isotick_input& input : inputs) {
        bytes_.insert(bytes_.end(), input.data, input.data + input.size);
    }
    if (inputs.data() != past.inputs.data()) {
        past.inputs.assign(inputs.begin(), inputs.end());
    }
    past.bytes.swap(bytes_);
    std::size_t at = 0;
    for (isotick_input& input : past.inputs) {
        input.data = input.present != 0 ? past.bytes.data() + at : nullptr;
        at += static_cast<std::size_t>(input.size);
    }
}

void TickCursor::forget_oldest() {
    drop_state(past_.front());
    spare_.push_back(std::move(past_.front()));
    past_.pop_front();
    --position_;
}

void TickCursor::drop_state(Past& past) {
    if (!past.is_saved) {
        return;
    }
    past.is_saved = false;
    kept_ -= past.before.capacity();
    if (memory_ == TickMemory::latest) {
        spare_states_.clear();  // there is never more of it than fits
    }
    spare_states_.push_back(std::move(past.before));
}

void TickCursor::forget_before(std::uint64_t tick) {
    while (position_ > 0 && past_.front().tick.value < tick) {
        forget_oldest();
    }
}

std::span<const isotick_input> TickCursor::inputs() const {
    return memory_ != TickMemory::none ? std::span<const isotick_input>(here().inputs) : edited_;
}

std::uint64_t TickCursor::inputs_present() const {
    return memory_ != TickMemory::none ? here().inputs_present : present_in(ticks_.inputs());
}

std::optional<core::TickDt> TickCursor::dt() const {
    return memory_ != TickMemory::none ? here().dt : ticks_.dt();
}

std::optional<core::StateHash> TickCursor::state_hash() const {
    return memory_ != TickMemory::none ? here().state : ticks_.state_hash();
}

std::span<const core::PartHash> TickCursor::part_hashes() const {
    return memory_ != TickMemory::none ? std::span<const core::PartHash>(here().parts)
                                       : ticks_.part_hashes();
}

std::optional<Rerun> TickCursor::rerun(std::uint64_t steps) const {
    if (memory_ == TickMemory::none || here().first_steps == steps) {
        return std::nullopt;
    }
    return Rerun{here().first_steps, back_from_};
}

Result<void> TickCursor::about_to_step(std::uint64_t steps, bool saves) {
    if (memory_ == TickMemory::none) {
        edited_ = edits_.of_tick(tick_, ticks_.inputs());
        return {};
    }
    Past& past = past_[position_];
    if (past.first_steps == 0) {
        past.first_steps = steps;
        if (edits_.may_change()) {
            own_inputs(edits_.of_tick(tick_, past.inputs), past);
        }
    }
    drop_state(past);
    return saves ? keep_state() : Result<void>();
}

Result<void> TickCursor::keep_state() {
    while (memory_ == TickMemory::latest && position_ > 0 && kept_ + size_ > memory_for_states()) {
        forget_oldest();
    }
    Past& past = past_[position_];
    if (!spare_states_.empty()) {
        past.before = std::move(spare_states_.back());
        spare_states_.pop_back();
    }
    auto saved = calls_.during(Activity::saving).save_into(past.before);
    past.is_saved = saved.has_value();
    size_ = past.before.capacity();
    kept_ += past.is_saved ? size_ : 0;
    if (!saved && saved.error().code == ErrorCode::limit) {
        return core::fail(ErrorCode::limit,
                          memory_ == TickMemory::latest
                              ? "the loop goes back through snapshots, but not even one fits: "
                                "raise --memory-limit"
                              : "the trial goes back through snapshots, which do not fit: raise "
                                "--memory-limit");
    }
    return saved;
}

Result<void> TickCursor::reload() {
    return calls_.load(here().before, tick_.value);
}

Result<std::uint64_t> TickCursor::go_back(std::uint64_t count) {
    if (memory_ == TickMemory::none || !calls_.simulation().can_save()) {
        return core::fail(ErrorCode::usage,
                          "the loop goes back in time, which needs a simulation that takes "
                          "snapshots (save and load)");
    }
    const std::uint64_t undone = std::min<std::uint64_t>(count, position_);
    if (undone == 0) {
        return 0;
    }
    const std::size_t target = position_ - static_cast<std::size_t>(undone);
    if (!past_[target].is_saved || (memory_ == TickMemory::as_told && undone != count)) {
        return core::fail(ErrorCode::usage, "a peer goes back " + std::to_string(count) +
                                                " ticks, to a state that it has not kept");
    }
    back_from_ = tick_.value;
    position_ = target;
    tick_ = here().tick;
    return calls_.load(here().before, tick_.value).map([undone] { return undone; });
}

}  // namespace isotick::harness
