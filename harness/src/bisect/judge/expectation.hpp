#pragma once
// Which divergence is looked for: `tick 1456, mobjs[*].tics`.

#include "signature.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness::bisect {

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

}  // namespace isotick::harness::bisect
