#pragma once
// Compares builds by fields instead of hashes.

#include "../system/files.hpp"
#include "expectation.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/trial.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::bisect {

// Fields named by the user, for whatever index and key: `units[*].health`.

/// The kinds that a list such as `units[3].health, players` names, each `[…]` made `[*]`. Fails
/// with `usage` where a piece is no path.
[[nodiscard]] core::Result<std::vector<std::string>> parse_field_names(std::string_view list);

/// Whether `kind` is `name` or lies below it: `units[*].velocity.x` below `units[*].velocity`.
[[nodiscard]] bool lies_in(std::string_view kind, std::string_view name);

/// The pieces between the commas of `list` that stand in no brackets, without blanks around them.
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view list);

// Holds a build against the good one field by field, where their states are made of other parts or
// other fields and no hash can be the same.

/// Which fields are compared, by their kinds; those below them too.
struct FieldChoice {
    std::vector<std::string> only{};     ///< empty: all …
    std::vector<std::string> ignored{};  ///< … but these

    [[nodiscard]] bool counts(const std::string& kind) const;
    [[nodiscard]] bool is_all() const { return only.empty() && ignored.empty(); }
};

/// The good build's fields in every state, looked at when they are needed for the first time.
class GoodFields {
  public:
    /// `plan` replays the recording; `run` runs the good build.
    GoodFields(TrialPlan plan, TrialRunner run) : plan_(std::move(plan)), run_(std::move(run)) {}

    /// Fails where the good build does not come to the end, or shows no fields.
    [[nodiscard]] core::Result<const SharedFile*> digests();

    [[nodiscard]] const TrialPlan& plan() const { return plan_; }
    [[nodiscard]] const TrialRunner& run() const { return run_; }

  private:
    TrialPlan plan_;
    TrialRunner run_;
    std::optional<SharedFile> file_;
};

/// Plays the session to `candidate` up to the state that `most` ticks make, holds the fields that
/// both have against each other, and lists up to `most_fields` of each kind that differs.
[[nodiscard]] core::Result<Judgement> judge_by_fields(GoodFields& good,
                                                      const TrialRunner& candidate,
                                                      std::optional<std::uint64_t> most,
                                                      const FieldChoice& choice,
                                                      std::size_t most_fields);

}  // namespace isotick::harness::bisect
