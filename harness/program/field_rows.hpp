#pragma once
// Fields that differ, in words.

#include <isotick/harness/field_report.hpp>

#include <string>
#include <string_view>

namespace isotick::program {

/// The rows of a report about fields that differ; `sides` says between what: `recorded → computed`.
/// Empty where nobody asked for them.
[[nodiscard]] std::string field_rows(const harness::FieldReport& report, std::string_view sides);

/// The same of differences that are known.
[[nodiscard]] std::string difference_rows(const core::FieldDifferences& differences,
                                          std::string_view sides);

}  // namespace isotick::program
