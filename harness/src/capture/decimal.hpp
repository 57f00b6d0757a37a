#pragma once
// Decimal text to whole numbers, by integer arithmetic alone.

#include <cstdint>
#include <string_view>

namespace isotick::harness {

enum class DecimalProblem : std::uint8_t { none, not_a_number, negative, too_large };

struct Decimal {
    std::int64_t value = 0;
    DecimalProblem problem = DecimalProblem::none;
};

/// `text` (`16.667`, `1.5E-05`) times 10^`decimals`, rounded to the nearest, halves up. `point` is
/// the decimal point. Too large is what exceeds 10^18.
[[nodiscard]] Decimal scaled_decimal(std::string_view text, int decimals, char point = '.');

}  // namespace isotick::harness
