#pragma once
// What searches came to, for machines.

#include "../../../src/bisect/judge/expectation.hpp"
#include "../../../src/bisect/judge/judgement.hpp"
#include "../../json/json_pieces.hpp"

#include <optional>
#include <string>

namespace isotick::program {

/// Null where there is none.
[[nodiscard]] Json signature_json(const std::optional<harness::bisect::Signature>& signature);

[[nodiscard]] std::string step_json(const std::string& recording,
                                    const std::optional<harness::bisect::Expectation>& expectation,
                                    const harness::bisect::Judgement& judgement, int code);

}  // namespace isotick::program
