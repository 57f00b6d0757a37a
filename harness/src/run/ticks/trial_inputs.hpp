#pragma once
// What a trial hands its simulation as the inputs of a tick.

#include <isotick/core/plugin.h>
#include <isotick/harness/detail/shrink/input_edits.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

/// The recorded inputs, with a plan's changes to them.
class TrialInputs {
  public:
    /// Fails where the plan's changes are none for so many players. `may_change`: another plan's
    /// may come on the way.
    [[nodiscard]] static core::Result<TrialInputs> make(const TrialPlan& plan,
                                                        std::uint32_t players, bool may_change) {
        if (plan.inputs.empty() && !may_change) {
            return TrialInputs(std::nullopt);
        }
        return InputEditor::make(plan.inputs, players).map([](InputEditor&& editor) {
            return TrialInputs(std::move(editor));
        });
    }

    /// Those of a tick. Ticks are asked for from 0 on without gaps, once each. Valid as long as
    /// `recorded` and until the next call.
    [[nodiscard]] std::span<const isotick_input> of_tick(core::Tick tick,
                                                         std::span<const isotick_input> recorded) {
        return editor_ ? editor_->apply(tick, recorded) : recorded;
    }

    /// Whether of_tick may return anything but what was recorded.
    [[nodiscard]] bool may_change() const { return editor_.has_value(); }

    /// Makes another plan's changes from now on. Requires may_change.
    [[nodiscard]] core::Result<void> continue_with(const TrialPlan& plan) {
        return editor_->continue_with(plan.inputs);
    }

  private:
    explicit TrialInputs(std::optional<InputEditor> editor) : editor_(std::move(editor)) {}

    std::optional<InputEditor> editor_;
};

}  // namespace isotick::harness
