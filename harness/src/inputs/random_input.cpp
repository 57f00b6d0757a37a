#include "random_input.hpp"

#include "random_bytes.hpp"

#include <utility>

namespace isotick::harness {
namespace {

// Keeps these random numbers apart from those that a simulation draws from the same seed.
constexpr std::uint64_t kStream = 0x72616e646f6d;

}  // namespace

RandomInput::RandomInput(std::uint64_t seed, std::uint32_t player, std::optional<InputWords> words)
    : random_(core::derive_seed(seed, {player}), kStream),
      player_(player),
      described_(words.has_value()) {
    if (words) {
        typed_ = TypedInputs::learn(*std::move(words), random_);
    }
    if (typed_) {
        now_ = typed_->plain();
    }
}

isotick_input RandomInput::sample() {
    const bool held = random_.chance(3, 4) && begun_;
    if (has_examples() && !held) {
        begun_ = true;
        present_ = !random_.chance(1, 4);
        if (present_) {
            change();
        }
    }
    return {player_, present_ ? 1U : 0U, present_ ? now_.bytes.size() : 0,
            present_ ? now_.bytes.data() : nullptr};
}

void RandomInput::change() {
    if (!typed_) {
        now_.bytes = changed_bytes(std::move(now_.bytes), random_);
        return;
    }
    const std::uint32_t kind = random_.below(8);
    if (kind == 0) {
        now_ = typed_->plain();
    } else if (kind == 1) {
        now_ = typed_->any(random_);
    } else {
        now_ = typed_->changed(now_, random_);
    }
}

}  // namespace isotick::harness
