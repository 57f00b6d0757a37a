#pragma once
// Whether a failing trial fails again in a fresh process, and where two runs differ if not.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace isotick::harness {

// Is a divergence the same every time? Asked before anything is said to have diverged.

/// In how many fresh processes a divergence must be the same: what depends on a few outcomes, such
/// as the order of a small hash table, is the same again in some.
inline constexpr std::size_t kConfirmations = 8;

/// Two runs of one trial that were not the same.
struct Disagreeing {
    TrialPlan plan;
    TrialResult first;  ///< diverged
    TrialResult again;
    std::vector<AxisValue> again_varies{};  ///< what `again` varies besides
    std::optional<Evidence> otherwise{};    ///< for `again_varies`: see Explanation
};

/// What more runs of a diverged trial have shown.
struct Confirmation {
    /// Two that differ, where the trial is nondeterministic and one of them diverged.
    std::optional<Disagreeing> disagreeing;
    std::optional<NominalFindings> nominal;  ///< of the nominal trial, where nothing is varied
    FailedRuns again;                        ///< runs of the trial, and those that were the same
    FailedRuns nominal_runs;                 ///< beside it
};

/// What a trial is held against, beside itself.
struct Held {
    const TrialResult* nominal = nullptr;           ///< trial 0, where there was one; else null
    std::string_view where = "in a fresh process";  ///< where runs are repeated, in words
};

/// One tick per frame, the usual loop, and nothing varied: what trial 0 is.
[[nodiscard]] bool is_plain(const TrialPlan& plan);

/// Runs the diverged trial again, and the nominal one, which must come to the same every time, in
/// fresh processes each. The nominal trial itself runs with other values of what must not matter
/// (Axis::elsewhere) and in another second too, for which this waits up to one, and is recorded
/// again. Where any two runs of one trial differ `result` becomes nondeterministic, with a reason.
[[nodiscard]] core::Result<Confirmation> confirm(const TrialPlan& plan, TrialResult& result,
                                                 const TrialRunner& run,
                                                 const ExplainOptions& options,
                                                 const Held& held = {});

/// Explains `result` in the light of that: a divergence, or where two runs part.
[[nodiscard]] core::Result<Explanation> explain(const TrialPlan& plan, const TrialResult& result,
                                                const Confirmation& confirmation,
                                                const TrialRunner& run,
                                                const ExplainOptions& options);

}  // namespace isotick::harness
