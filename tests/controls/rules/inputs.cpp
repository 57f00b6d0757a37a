// What becomes of inputs: kept too long, remembered, guessed.

#include "../arena.hpp"

#include <bit>
#include <optional>

namespace isotick::controls {
namespace {

// Keeps the pointer instead of the byte, which is somebody else's in the next tick.
class InputPointerKept : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (ends_wave(step)) {
            const bool as_it_was = clean_ || kept_ == nullptr;
            world.units.front().target =
                as_it_was ? world.wave.wait : *static_cast<const volatile std::uint8_t*>(kept_);
        }
        if (const auto input = step.inputs.of(0); input && !input->empty()) {
            kept_ = input->data();
            world.wave.wait = input->front();
        }
    }

    void loaded(World&) override { kept_ = nullptr; }

  private:
    const std::uint8_t* kept_ = nullptr;
};

// Inputs are told apart by where they lie: the same place, nothing new.
class SamePlaceNothingNew : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const auto input = step.inputs.of(0);
        const bool is_new = clean_ ? input.has_value() : input && input->data() != last_;
        last_ = input ? input->data() : last_;
        if (ends_wave(step)) {
            world.wave.wait += is_new ? 1 : 0;
        }
    }

  private:
    const std::uint8_t* last_ = nullptr;
};

// What was pressed before is not part of the state: after a rollback, a key is pressed again.
class InputEdges : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const std::uint8_t now = pressed(step, 0);
        const auto fresh = static_cast<std::uint8_t>(now & ~before_);
        before_ = now;
        world.market.gold += std::popcount(fresh);
    }

    std::uint64_t more_to_save() const override { return before_; }
    void load_more(std::uint64_t more) override {
        before_ = clean_ ? static_cast<std::uint8_t>(more) : before_;
    }

  private:
    std::uint8_t before_ = 0;
};

// The first tick after a load still plays what was pressed when the load came.
class LateInput : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        const std::uint8_t now = clean_ ? pressed(step, 0) : queued_.value_or(pressed(step, 0));
        queued_.reset();
        last_ = pressed(step, 0);
        world.units.front().target = now;
    }

    void loaded(World&) override { queued_ = last_; }

  private:
    std::optional<std::uint8_t> queued_;
    std::uint8_t last_ = 0;
};

// A missing input is taken for the one before, which the next process does not know.
class MissingInputIsTheLast : public Rule {
  public:
    using Rule::Rule;

    void step(World& world, const core::Step& step) override {
        if (step.inputs.of(1)) {
            last_ = pressed(step, 1);
        }
        world.units[1].target = last_;
    }

    std::uint64_t more_to_save() const override { return last_; }
    void load_more(std::uint64_t more) override {
        last_ = clean_ ? static_cast<std::uint8_t>(more) : last_;
    }

  private:
    std::uint8_t last_ = 0;
};

constexpr Control kControls[] = {
    {"input-pointer-kept", make<InputPointerKept>},
    {"same-place-nothing-new", make<SamePlaceNothingNew>},
    {"input-edges", make<InputEdges>},
    {"late-input", make<LateInput>},
    {"missing-input-is-the-last", make<MissingInputIsTheLast>},
};

}  // namespace

std::span<const Control> input_controls() {
    return kControls;
}

}  // namespace isotick::controls
