#pragma once
// The ticks of a recording for a trial that may go back in time.

#include <isotick/core/simulation.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// Walks over a recording's ticks; the current one is the next to be stepped. With a memory it
/// keeps the latest ticks, and the state before each, so that a trial can undo them: of large
/// states only a few, which take a quarter of the process's memory limit (of 4 GiB where it has
/// none), or one. What it is made of must outlive it.
class TickCursor {
  public:
    /// How many ticks can be undone, where so many were stepped.
    static constexpr std::size_t kMostBack = 256;

    TickCursor(replay::Reader& reader, core::Simulation& simulation, bool remembers)
        : ticks_(reader), simulation_(simulation), remembers_(remembers) {}

    /// Goes to the next tick (at first: tick 0). False where there is none.
    [[nodiscard]] core::Result<bool> advance();

    /// About the current tick; valid until the next call of anything else.
    [[nodiscard]] core::Tick tick() const;
    [[nodiscard]] std::span<const isotick_input> inputs() const;
    [[nodiscard]] std::optional<core::TickDt> dt() const;
    [[nodiscard]] std::optional<core::StateHash> state_hash() const;
    [[nodiscard]] std::span<const core::PartHash> part_hashes() const;

    /// To be called before the current tick is stepped, with the number of steps that are then
    /// taken. Fails with `limit` where there is no room for its state.
    [[nodiscard]] core::Result<void> about_to_step(std::uint64_t steps);

    /// Of the current tick when it was stepped by step number `steps`: where it was run before.
    [[nodiscard]] std::optional<Rerun> rerun(std::uint64_t steps) const;

    /// Undoes the last `count` ticks, or as many as are known, by restoring the state before them.
    /// Returns how many those were. Fails with `usage` without a memory or where the simulation
    /// takes no snapshots.
    [[nodiscard]] core::Result<std::uint64_t> go_back(std::uint64_t count);

  private:
    struct Past {
        core::Tick tick;
        std::vector<isotick_input> inputs;
        std::vector<std::uint8_t> bytes;  // what inputs points into
        std::optional<core::TickDt> dt;
        std::optional<core::StateHash> state;
        std::vector<core::PartHash> parts;
        std::vector<std::byte> before;  // the state, where it was stepped
        std::uint64_t first_steps = 0;  // taken after it was stepped first; 0: it was not
    };

    [[nodiscard]] Past copy_of_current() const;
    void forget_oldest();
    [[nodiscard]] core::Result<void> keep_state();
    [[nodiscard]] const Past& here() const { return past_[position_]; }

    replay::RecordedTicks ticks_;
    core::Simulation& simulation_;
    bool remembers_;
    std::deque<Past> past_;         // the latest ticks, up to the furthest that was reached
    std::size_t position_ = 0;      // in past_, of the current tick
    std::uint64_t kept_ = 0;        // bytes that the states in past_ take
    std::uint64_t size_ = 0;        // that the latest one takes
    std::vector<std::byte> spare_;  // room for the next
    std::uint64_t back_from_ = 0;   // ticks done when it last went back
};

}  // namespace isotick::harness
