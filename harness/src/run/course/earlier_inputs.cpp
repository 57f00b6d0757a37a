#include "earlier_inputs.hpp"

#include <algorithm>

namespace isotick::harness {

void EarlierInputs::add(std::span<const isotick_input> inputs) {
    is_right_ = random_.chance(1, 4);
    Inputs& kept = latest_[count_++ % kKept];
    kept.bytes.clear();
    for (const isotick_input& input : inputs) {
        kept.bytes.insert(kept.bytes.end(), input.data, input.data + input.size);
    }
    kept.inputs.assign(inputs.begin(), inputs.end());
    std::size_t at = 0;
    for (isotick_input& input : kept.inputs) {
        input.data = input.present != 0 ? kept.bytes.data() + at : nullptr;
        at += static_cast<std::size_t>(input.size);
    }
}

std::span<const isotick_input> EarlierInputs::guess(std::span<const isotick_input> actual) {
    if (count_ == 0 || is_right_) {
        return actual;
    }
    guessed_.assign(actual.begin(), actual.end());
    for (std::size_t player = 0; player < guessed_.size(); ++player) {
        if (const std::uint64_t age = draw_age(); age > 0) {
            guessed_[player] = latest_[(count_ - age) % kKept].inputs[player];
        }
    }
    return guessed_;
}

std::uint64_t EarlierInputs::draw_age() {
    const std::uint32_t kind = random_.below(8);
    if (kind == 0) {
        return 0;
    }
    const auto oldest = static_cast<std::uint32_t>(std::min<std::uint64_t>(count_, kKept));
    return kind < 3 ? 1 + random_.below(oldest) : 1;
}

}  // namespace isotick::harness
