#pragma once
// What searches came to, for machines.

#include "../../src/bisect/expectation.hpp"
#include "../json/json_pieces.hpp"
#include "bisect_commits.hpp"

#include <optional>
#include <string>

namespace isotick::program {

/// Null where there is none.
[[nodiscard]] Json signature_json(const std::optional<harness::bisect::Signature>& signature);

[[nodiscard]] std::string step_json(const std::string& recording,
                                    const std::optional<harness::bisect::Expectation>& expectation,
                                    const harness::bisect::Judgement& judgement, int code);

[[nodiscard]] std::string commits_json(const harness::bisect::BisectReport& report,
                                       const CommitsOptions& options);

}  // namespace isotick::program
