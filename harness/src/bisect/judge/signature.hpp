#pragma once
// What a divergence is known by, from one build to the next: its tick and its fields.

#include <isotick/harness/detail/explain/explain.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::bisect {

struct Signature {
    std::uint64_t ticks_done = 0;  ///< of the first state that differs
    /// Of the last state known to agree, where no hash is stored between the two and only the
    /// recorded side could tell.
    std::optional<std::uint64_t> agreed_to{};
    /// Those that differ there, with `[*]` for each index and key, in the order of the state.
    std::vector<std::string> fields{};
    bool fields_known = false;
    std::uint64_t seen_at = 0;  ///< ticks done when a comparison showed it
    friend bool operator==(const Signature&, const Signature&) = default;
};

/// No state before `ticks_done` may differ as well.
[[nodiscard]] inline bool is_exact(const Signature& signature) {
    return !signature.agreed_to || *signature.agreed_to + 1 == signature.ticks_done;
}

/// The fields of `differences` that both sides have, by their kind.
/// Fields that only one side has are no desync: another revision's state has other fields.
[[nodiscard]] std::vector<std::string> shared_fields(const core::FieldDifferences& differences);

/// `tick 1456, mobjs[*].tics`; cut where there are many fields. `--expect` reads it back unless it
/// is cut.
[[nodiscard]] std::string to_string(const Signature& signature);

}  // namespace isotick::harness::bisect
