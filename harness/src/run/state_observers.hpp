#pragma once
// Observers of the states of a trial: traces, dumps, digests.

#include "../system/files.hpp"
#include "call_pipeline.hpp"
#include "field_digest_file.hpp"
#include "field_watch.hpp"
#include "state_writes.hpp"

#include <isotick/core/simulation.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace isotick::harness {

// The fields of states that two trials have dumped.

/// A state dump, and what the state must hash to: the fields are of no other run's.
struct DumpedState {
    std::span<const std::byte> bytes;
    core::StateHash hash;
};

/// Compares two dumped states, as `compare_states` does; lists up to `most` fields of each kind.
[[nodiscard]] FieldReport compare_dumped(const DumpedState& before, const DumpedState& after,
                                         std::size_t most);

/// The same of dumps in files.
[[nodiscard]] core::Result<FieldReport> compare_dumped(const SharedFile& before,
                                                       core::StateHash hash_before,
                                                       const SharedFile& after,
                                                       core::StateHash hash_after,
                                                       std::size_t most);

/// Why a trial that was to dump a state has not; empty where it has.
[[nodiscard]] std::string why_not_dumped(const TrialResult& result);

// Whatever a trial's plan asks to see of its states besides their hashes.

/// Shows states to a plan's dumps, watched fields and digests, and fills in what a result says of
/// them. What it is made of must outlive it.
class StateObservers {
  public:
    StateObservers(const TrialPlan& plan, CallPipeline& calls, TrialResult& result)
        : plan_(plan), calls_(calls), result_(result) {}

    /// Opens their files. Fails where FieldWatch and FieldDigestFile do.
    [[nodiscard]] core::Result<void> open();

    /// Whether states are looked at while the simulation stands on them.
    [[nodiscard]] static bool wanted_by(const TrialPlan& plan) {
        return !plan.dumps.empty() || plan.watch || plan.field_digests || plan.writes;
    }
    [[nodiscard]] bool has_digests() const { return digests_.has_value(); }

    /// Writes the watched fields of the state after `tick`.
    [[nodiscard]] core::Result<void> watch(core::Tick tick);

    /// Adds the state to the digests.
    [[nodiscard]] core::Result<void> digest(std::uint64_t ticks_done);

    /// Makes the call of a step, and notes its checkpoints or hashes the state there where the plan
    /// asks for that. Fails where the call or a hash does.
    template <class Call>
    [[nodiscard]] core::Result<void> during_step(const Call& call) {
        if (writes_ && plan_.writes->steps == steps() + 1) {
            return during_watched_step(call);
        }
        const bool takes = plan_.checkpoints_of == steps() + 1;
        if (!takes && !plan_.notes_reached) {
            return call();
        }
        calls_.simulation().listen([this, takes](const char* name) {
            if (plan_.notes_reached && name != nullptr) {
                note_reached(result_.reached, name);
            }
            if (takes) {
                take_checkpoint(name);
            }
        });
        auto stepped = call();
        calls_.simulation().listen({});
        return stepped && !hashed_ ? hashed_ : stepped;
    }

    /// Begins to note writes to the state, if the plan asks for those of the step to come.
    void watch_writes();

    /// Keeps the state where it diverged, and dumps it where that is asked for. `is_last`: nothing
    /// more is asked of the simulation.
    void dump(std::uint64_t ticks_done, bool is_last);

  private:
    [[nodiscard]] std::uint64_t steps() const { return result_.statistics.ticks; }
    // A snapshot that was loaded meanwhile has changed more than the tick did.
    template <class Call>
    [[nodiscard]] core::Result<void> during_watched_step(const Call& call) {
        if (result_.statistics.state_loads != loads_ && !plan_.writes->with_loads) {
            watch_writes();
        }
        writes_->step_begins();
        auto stepped = call();
        writes_->step_ends();
        return stepped ? writes_->end(calls_.during(Activity::visiting)) : stepped;
    }
    void keep_diverged(std::uint64_t ticks_done);
    void take_checkpoint(const char* name);

    const TrialPlan& plan_;
    CallPipeline& calls_;
    TrialResult& result_;
    core::Result<void> hashed_;  // at checkpoints
    std::optional<FieldWatch> watch_;
    std::optional<FieldDigestFile> digests_;
    std::optional<StateWrites> writes_;
    std::uint64_t loads_ = 0;  // before the watch for writes began
};

}  // namespace isotick::harness
