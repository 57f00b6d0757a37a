#include "parting_back.hpp"

#include "../differing_parts.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

using core::Result;
using Trace = std::vector<StateRecord>;

constexpr std::uint64_t kMostPartedStates = 4096;  // whose part hashes are kept at once

Result<TrialResult> run_parts_over(const StateSource& source, StateRange range) {
    TrialPlan plan = source.plan;
    plan.dump.reset();
    plan.trace = range;
    return (*source.run)(std::array{plan}, Isolation::forked)
        .map([](std::vector<TrialResult>&& results) { return std::move(results.front()); });
}

// From the fewest ticks to the most.
StateRange ticks_of(const Trace& trace) {
    const auto [least, most] = std::ranges::minmax(trace, {}, &StateRecord::ticks_done);
    return {least.ticks_done, most.ticks_done};
}

/// Two runs, and which states of theirs are the same ticks'.
struct Runs {
    TrialResult before;
    TrialResult after;

    [[nodiscard]] const StateRecord* counterpart(const StateRecord& state) const {
        const std::uint64_t first = before.trace.empty() ? 0 : before.trace.front().ticks_done;
        return state.ticks_done < first || state.ticks_done - first >= before.trace.size()
                   ? nullptr
                   : &before.trace[state.ticks_done - first];
    }
};

/// Looks for the first state that differs, window by window.
class BackSearch {
  public:
    BackSearch(const StateSource& before, const StateSource& after, std::size_t most_fields)
        : before_(before), after_(after), most_fields_(most_fields) {}

    Result<std::optional<Explanation>> find(StateRange range) {
        for (std::uint64_t first = range.first; first <= range.last; first += kMostPartedStates) {
            const std::uint64_t last = std::min(range.last, first + kMostPartedStates - 1);
            ISOTICK_TRY_ASSIGN(const auto runs, run({first, last}));
            if (runs.after.trace.empty() || (last == range.last && !come_to_their_hashes(runs))) {
                return std::nullopt;
            }
            for (const StateRecord& state : runs.after.trace) {
                const StateRecord* recorded = runs.counterpart(state);
                if (recorded == nullptr) {
                    return std::nullopt;
                }
                if (recorded->hash != state.hash) {
                    return describe(runs, *recorded, state);
                }
                agreed_ = state.ticks_done;
            }
        }
        return std::nullopt;
    }

  private:
    // One after the other: which ticks the first comes by is not known before.
    [[nodiscard]] Result<Runs> run(StateRange window) const {
        auto after = run_parts_over(after_, window);
        if (!after || after->trace.empty()) {
            return std::move(after).map([](TrialResult&& run) { return Runs{{}, std::move(run)}; });
        }
        return run_parts_over(before_, ticks_of(after->trace)).map([&after](TrialResult&& before) {
            return Runs{std::move(before), *std::move(after)};
        });
    }

    [[nodiscard]] bool come_to_their_hashes(const Runs& runs) const {
        const StateRecord& last = runs.after.trace.back();
        const StateRecord* recorded = runs.counterpart(last);
        return last.hash == after_.hash && recorded != nullptr && recorded->hash == before_.hash;
    }

    Result<std::optional<Explanation>> describe(const Runs& runs, const StateRecord& recorded,
                                                const StateRecord& state) const {
        Explanation found;
        found.recorded_side_runs = true;
        found.ticks_done = state.ticks_done;
        found.recorded = recorded.hash;
        found.computed = state.hash;
        found.context = state.context;
        found.parts = differing_parts({runs.before.part_names, recorded.parts},
                                      {runs.after.part_names, state.parts});
        found.rerun = state.rerun;
        found.last_agreed = agreed_;
        if (most_fields_ == 0) {
            return found;
        }
        // Where it was there before it was as recorded, else it would have diverged then.
        const StateSource first{state.rerun ? after_.plan : before_.plan,
                                state.rerun ? after_.run : before_.run, recorded.hash};
        const StepsToStates steps{state.rerun ? state.rerun->first_steps : state.ticks_done,
                                  state.steps};
        return compare_states(first, {after_.plan, after_.run, state.hash}, steps, most_fields_)
            .map([&found](StateReport&& report) {
                found.fields = std::move(report.fields);
                found.phases = std::move(report.phases);
                return std::optional(std::move(found));
            });
    }

    const StateSource& before_;
    const StateSource& after_;
    std::size_t most_fields_;
    std::optional<std::uint64_t> agreed_;  // ticks_done of the last state that was looked at
};

}  // namespace

Result<std::optional<Explanation>> find_parting_back(const StateSource& before,
                                                     const StateSource& after, StateRange range,
                                                     std::size_t most_fields) {
    return BackSearch(before, after, most_fields).find(range);
}

}  // namespace isotick::harness
