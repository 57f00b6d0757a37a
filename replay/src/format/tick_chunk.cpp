#include <isotick/replay/detail/tick_chunk.hpp>

#include <algorithm>
#include <cassert>
#include <iterator>

namespace isotick::replay {

std::span<const isotick_input> TickChunk::inputs(std::uint32_t i) const {
    assert(i < ticks());
    if (row_tick_ == kNone || i < row_tick_) {
        row_.resize(players_ + 1);
        for (std::uint32_t column = 0; column <= players_; ++column) {
            row_[column] = {column < players_ ? column : ISOTICK_WORLD, 0, 0, nullptr};
        }
        apply_changes_of(0);
    }
    while (row_tick_ < i) {
        apply_changes_of(row_tick_ + 1);
    }
    return row_;
}

void TickChunk::apply_changes_of(std::uint32_t tick) const {
    for (const InputChange& change : changes(tick)) {
        isotick_input& input = row_[change.column];
        input.present = change.code == 0 ? 0 : 1;
        input.size = change.size();
        input.data = stored_.inputs.bytes.data() + change.offset;
    }
    row_tick_ = tick;
}

std::span<const InputChange> TickChunk::changes(std::uint32_t i) const {
    assert(i < ticks());
    return std::span(stored_.inputs.changes)
        .subspan(change_from_[i], change_from_[i + 1] - change_from_[i]);
}

std::span<const std::uint8_t> TickChunk::bytes_of(const InputChange& change) const {
    return std::span(stored_.inputs.bytes).subspan(change.offset, change.size());
}

std::optional<core::TickDt> TickChunk::dt(std::uint32_t i) const {
    assert(i < ticks());
    const DtChanges& dts = stored_.dts;
    const auto after = std::upper_bound(
        dts.begin(), dts.end(), i,
        [](std::uint32_t tick, const DtChange& change) { return tick < change.tick; });
    return after == dts.begin() ? std::nullopt : std::prev(after)->dt;
}

std::uint32_t TickChunk::own_dts() const {
    const DtChanges& dts = stored_.dts;
    std::uint32_t count = 0;
    for (std::size_t n = 0; n < dts.size(); ++n) {
        const std::uint32_t end = n + 1 < dts.size() ? dts[n + 1].tick : ticks();
        count += dts[n].dt ? end - dts[n].tick : 0;
    }
    return count;
}

std::optional<core::StateHash> TickChunk::state_hash(std::uint32_t i) const {
    assert(i < ticks());
    if (state_row_[i] == kNone) {
        return std::nullopt;
    }
    return stored_.states[state_row_[i]];
}

std::span<const core::PartHash> TickChunk::part_hashes(std::uint32_t i) const {
    assert(i < ticks());
    if (parts_row_[i] == kNone) {
        return {};
    }
    return std::span(stored_.parts).subspan(parts_row_[i], part_count_);
}

}  // namespace isotick::replay
