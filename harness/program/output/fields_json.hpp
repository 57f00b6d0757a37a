#pragma once
// Fields that differ, as JSON.

#include "../../src/json/json.hpp"

#include <isotick/harness/detail/field_report.hpp>

namespace isotick::program {

[[nodiscard]] harness::Json fields_json(const core::FieldDifferences& differences);
[[nodiscard]] harness::Json fields_json(const harness::FieldReport& report);

}  // namespace isotick::program
