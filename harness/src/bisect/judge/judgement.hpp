#pragma once
// What a build of a simulation was found to do with a recording.

#include "signature.hpp"

#include <isotick/harness/detail/explain/field_report.hpp>
#include <isotick/harness/detail/verdict.hpp>

#include <optional>
#include <string>

namespace isotick::harness::bisect {

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
        signature{};         ///< of what diverged; of nondeterministic: where it parts
    FieldReport fields{};    ///< from the reference to this build
    std::string reason{};    ///< in words, unless identical or diverged
    bool by_fields = false;  ///< compared field by field, since hashes could not be
    std::string printed{};   ///< by the simulation
};

}  // namespace isotick::harness::bisect
