#pragma once
// What a build is expected to compute, and how its failure is recognized again.

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/trial.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::bisect {

// What a divergence is known by, from one build to the next: its tick and its fields.

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

// Which divergence is looked for: `tick 1456, mobjs[*].tics`.

/// Whether a divergence is the one that is looked for.
enum class Fit {
    yes,
    absent,     ///< at the tick looked for other fields differ, and those looked for do not
    elsewhere,  ///< it is another one, which hides whether that is there too
    unknown,    ///< it depends on fields, and which differ is not known
};

struct Expectation {
    std::optional<std::uint64_t> ticks_done{};  ///< none: at whatever tick
    std::vector<std::string> fields{};          ///< at least one of these; empty: whatever fields

    /// Fails with `usage`. A tick, fields, or both, with commas between them.
    [[nodiscard]] static core::Result<Expectation> parse(std::string_view text);
    [[nodiscard]] static Expectation of(const Signature& signature);

    [[nodiscard]] Fit fits(const Signature& signature) const;
};

/// As Expectation::parse reads it; `any divergence` where nothing is said.
[[nodiscard]] std::string to_string(const Expectation& expectation);

// What a build of a simulation was found to do with a recording.

enum class Finding {
    identical,
    diverged,            ///< the same way every time
    nondeterministic,    ///< another way each time
    crashed,             ///< or it hung
    not_loading,         ///< it cannot be loaded or started
    another_simulation,  ///< it says another name than the recording does
    not_comparable,      ///< it does not take the session, or its states cannot be held against it
};

/// `identical`, `diverged`, `does not load` …
[[nodiscard]] const char* to_string(Finding finding);

struct Judgement {
    Finding finding = Finding::identical;
    std::optional<Signature>
        signature{};                      ///< of what diverged; of nondeterministic: where it parts
    FieldReport fields{};                 ///< from the reference to this build
    std::optional<PartingWrite> write{};  ///< where the two first write otherwise
    std::string reason{};                 ///< in words, unless identical or diverged
    bool by_fields = false;               ///< compared field by field, since hashes could not be
    std::string printed{};                ///< by the simulation
};

}  // namespace isotick::harness::bisect
