#pragma once
// Which tick comes next, and its inputs, also where a loop goes back.

#include "call_pipeline.hpp"

#include <isotick/core/plugin.h>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

// What a trial hands its simulation as the inputs of a tick.

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

// The ticks of a recording for a trial that may go back in time.

/// What a recording says of a state.
struct RecordedState {
    std::optional<core::StateHash> hash;
    std::vector<core::PartHash> parts;
};

/// What a cursor keeps of the ticks behind it, and of the states before them.
enum class TickMemory {
    none,
    /// The latest ticks: of large states only a few, which take a quarter of the process's memory
    /// limit (of 4 GiB where it has none), or one.
    latest,
    as_told,  ///< what forget_before() and save leave, however much memory that takes
};

/// Walks over a recording's ticks; the current one is the next to be stepped. With a memory, ticks
/// can be undone. What it is made of must outlive it.
class TickCursor {
  public:
    /// How many of the latest ticks can be undone, where so many were stepped.
    static constexpr std::size_t kMostBack = 256;

    TickCursor(replay::Reader& reader, CallPipeline& calls, TrialInputs& edits, TickMemory memory)
        : ticks_(reader), calls_(calls), edits_(edits), memory_(memory) {}

    /// Goes to the next tick (at first: tick 0). False where there is none: it then stands behind
    /// the last, and can be sent back.
    [[nodiscard]] core::Result<bool> advance();

    /// Before the first advance(): goes over `count` ticks, which are none to come back to.
    /// Returns what hashes are recorded of the state after them; fails with `usage` where there
    /// are fewer.
    [[nodiscard]] core::Result<RecordedState> skip(std::uint64_t count);

    /// The current tick; the number behind the last one at the end.
    [[nodiscard]] core::Tick tick() const { return tick_; }
    [[nodiscard]] bool at_end() const { return tick_ == next_; }

    /// About the current tick, which there must be; valid until the next call of anything else.
    [[nodiscard]] std::span<const isotick_input> inputs() const;  ///< with the plan's edits
    [[nodiscard]] std::uint64_t inputs_present() const;           ///< recorded ones
    [[nodiscard]] std::optional<core::TickDt> dt() const;
    [[nodiscard]] std::optional<core::StateHash> state_hash() const;
    [[nodiscard]] std::span<const core::PartHash> part_hashes() const;

    /// To be called before the current tick is stepped, with the number of steps that are then
    /// taken: makes its inputs and, where `saves`, keeps the state, else none for this tick. Fails
    /// with `limit` where there is no room.
    [[nodiscard]] core::Result<void> about_to_step(std::uint64_t steps, bool saves);
    /// Loads the state that about_to_step has just kept. Fails as the simulation does.
    [[nodiscard]] core::Result<void> reload();

    /// Of the current tick when it was stepped by step number `steps`: where it was run before.
    [[nodiscard]] std::optional<Rerun> rerun(std::uint64_t steps) const;

    /// Undoes the last `count` ticks by restoring the state before them; TickMemory::latest: or as
    /// many as are known. Returns how many those were. Fails with `usage` without a memory, where
    /// the simulation takes no snapshots, or where there is none.
    [[nodiscard]] core::Result<std::uint64_t> go_back(std::uint64_t count);

    /// Ticks before `tick` are not come back to, but for the current one.
    void forget_before(std::uint64_t tick);

  private:
    struct Past {
        core::Tick tick;
        std::vector<isotick_input> inputs;
        std::vector<std::uint8_t> bytes;  // what inputs points into
        std::uint64_t inputs_present = 0;
        std::optional<core::TickDt> dt;
        std::optional<core::StateHash> state;
        std::vector<core::PartHash> parts;
        bool is_saved = false;
        std::vector<std::byte> before;  // the state, where it is saved
        std::uint64_t first_steps = 0;  // taken after it was stepped first; 0: it was not
    };

    void remember_current();
    void own_inputs(std::span<const isotick_input> inputs, Past& past);
    void forget_oldest();
    void drop_state(Past& past);
    [[nodiscard]] core::Result<void> keep_state();
    [[nodiscard]] const Past& here() const { return past_[position_]; }

    replay::RecordedTicks ticks_;
    CallPipeline& calls_;
    TrialInputs& edits_;
    TickMemory memory_;
    core::Tick tick_;
    core::Tick next_;                        // behind the furthest that was read
    bool ended_ = false;                     // nothing follows that
    std::span<const isotick_input> edited_;  // without a memory: of the current tick
    std::deque<Past> past_;                  // the latest ticks, up to the furthest that was read
    std::size_t position_ = 0;               // in past_, of the current tick
    std::uint64_t kept_ = 0;                 // bytes that the states in past_ take
    std::uint64_t size_ = 0;                 // that the latest one takes
    std::uint64_t back_from_ = 0;            // ticks done when it last went back
    std::vector<Past> spare_;                // memory to be used again, as what follows
    std::vector<std::vector<std::byte>> spare_states_;
    std::vector<std::uint8_t> bytes_;
};

}  // namespace isotick::harness
