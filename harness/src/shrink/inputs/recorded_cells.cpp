#include "recorded_cells.hpp"

namespace isotick::harness {

bool RecordedCells::go_to(core::Tick tick) {
    if (!there_ || tick < ticks_->tick()) {
        reader_.rewind();
        ticks_.emplace(reader_);
        there_ = ticks_->advance().value_or(false);
    }
    while (there_ && ticks_->tick() < tick) {
        there_ = ticks_->advance().value_or(false);
    }
    return there_;
}

std::optional<std::vector<std::uint8_t>> RecordedCells::at(const InputCell& cell) {
    if (!go_to(cell.tick)) {
        return std::nullopt;
    }
    for (const isotick_input& input : ticks_->inputs()) {
        if (input.player == cell.player && input.present != 0) {
            return std::vector<std::uint8_t>(input.data, input.data + input.size);
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
