#pragma once
// Between which of its checkpoints a tick first differs.

#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// A checkpoint of a tick.
struct PhasePoint {
    std::string name;
    /// Which one of this name, from 1, where the tick has several; else 0.
    std::uint64_t number = 0;
    friend bool operator==(const PhasePoint&, const PhasePoint&) = default;
};

/// What the checkpoints of both sides say of a tick that made different states.
struct Phases {
    std::optional<PhasePoint>
        after;  ///< the last where both were the same; none: not even the first
    std::optional<PhasePoint> before;  ///< the first where they differ; none: the tick's end
    std::vector<std::string> parts{};  ///< names of those that differ there
    /// The sides go on to different checkpoints: one to `before` (none: its end), the other to
    /// `other`.
    bool forks = false;
    std::optional<PhasePoint> other{};
    std::string unknown{};  ///< why all that is not known; empty: it is
};

/// Holds the checkpoints of two trials against each other, whose states differ at that tick's end.
/// None where neither has any.
[[nodiscard]] std::optional<Phases> compare_checkpoints(const TrialResult& a, const TrialResult& b);

/// `first differs after "ai", before "physics"`; of the sequences `a → b` where they fork.
[[nodiscard]] std::string to_string(const Phases& phases);

}  // namespace isotick::harness
