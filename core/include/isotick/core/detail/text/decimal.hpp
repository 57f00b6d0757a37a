#pragma once
// Decimal text to whole numbers: exactly, by integer arithmetic alone.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace isotick::core {

/// The digits of a number without sign and exponent, as long as the text they are taken from.
struct DecimalDigits {
    std::string_view whole;     ///< those before the point; may be none
    std::string_view fraction;  ///< those behind it, likewise
    bool has_point = false;

    /// Takes them from the front of `text`. `point` is the decimal point.
    [[nodiscard]] static DecimalDigits take(std::string_view& text, char point = '.');

    [[nodiscard]] std::size_t size() const { return whole.size() + fraction.size(); }

    /// The number times 10^`places`, rounded down; none where it does not fit into 64 bits.
    [[nodiscard]] std::optional<std::uint64_t> scaled(std::int64_t places) const;

    /// The digit that `scaled(places)` is the first to leave out: from 5 on, it rounds up.
    [[nodiscard]] unsigned digit_after(std::int64_t places) const;

    /// Where in `fraction` the first digit stands that is finer than `places` and not zero; npos:
    /// nowhere.
    [[nodiscard]] std::size_t find_finer_than(std::size_t places) const;
};

enum class DecimalProblem : std::uint8_t { none, not_a_number, negative, too_large };

struct Decimal {
    std::int64_t value = 0;
    DecimalProblem problem = DecimalProblem::none;
};

/// `text` (`16.667`, `1.5E-05`) times 10^`places`, rounded to the nearest, halves up. Exponents go
/// from -400 to 400, and too large is what exceeds 10^18.
[[nodiscard]] Decimal scaled_decimal(std::string_view text, int places, char point = '.');

}  // namespace isotick::core
