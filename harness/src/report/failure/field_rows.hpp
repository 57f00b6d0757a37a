#pragma once
// Fields that differ, in words.

#include <isotick/harness/detail/explain/field_report.hpp>

#include <string>
#include <string_view>

namespace isotick::harness {

/// The rows of a report about fields that differ; `sides` says between what: `recorded → computed`,
/// `more` how to see those that are not listed. Empty where nobody asked for them.
[[nodiscard]] std::string field_rows(const FieldReport& report, std::string_view sides,
                                     std::string_view more);

/// The same of differences that are known.
[[nodiscard]] std::string difference_rows(const core::FieldDifferences& differences,
                                          std::string_view sides, std::string_view more);

}  // namespace isotick::harness
