#include "decimal.hpp"

#include <charconv>

namespace isotick::harness {
namespace {

constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
constexpr int kMostExponent = 400;

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

/// The digits of a number, the point left out: `size` of them, of which `whole` before the point.
struct Digits {
    std::string_view text;
    std::size_t whole = 0;
    bool has_point = false;

    [[nodiscard]] std::size_t size() const { return text.size() - (has_point ? 1 : 0); }
    [[nodiscard]] int at(std::size_t index) const {
        return text[index + (index >= whole && has_point ? 1 : 0)] - '0';
    }
};

/// Takes the digits from the front of `text`.
Digits take_digits(std::string_view& text, char point) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) {
        ++end;
    }
    Digits digits{{}, end, end < text.size() && text[end] == point};
    if (digits.has_point) {
        ++end;
        while (end < text.size() && is_digit(text[end])) {
            ++end;
        }
    }
    digits.text = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
}

/// Takes an exponent, if there is one; false on nonsense.
bool take_exponent(std::string_view& text, int& exponent) {
    if (text.empty() || (text[0] != 'e' && text[0] != 'E')) {
        return true;
    }
    text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc() || exponent < -kMostExponent || exponent > kMostExponent) {
        return false;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// The first `places` of the digits, as many zeros behind them as are missing, rounded.
Decimal rounded(const Digits& digits, std::int64_t places) {
    std::int64_t value = 0;
    const auto count = static_cast<std::int64_t>(digits.size());
    for (std::int64_t i = 0; i < places; ++i) {
        const int digit = i < count ? digits.at(static_cast<std::size_t>(i)) : 0;
        if (value > (kMost - digit) / 10) {
            return {0, DecimalProblem::too_large};
        }
        value = value * 10 + digit;
        if (i >= count && value == 0) {
            break;
        }
    }
    const bool is_up =
        places >= 0 && places < count && digits.at(static_cast<std::size_t>(places)) >= 5;
    return {value + (is_up ? 1 : 0), DecimalProblem::none};
}

}  // namespace

Decimal scaled_decimal(std::string_view text, int decimals, char point) {
    const bool is_negative = text.starts_with('-');
    text.remove_prefix(is_negative ? 1 : 0);
    const Digits digits = take_digits(text, point);
    int exponent = 0;
    if (digits.size() == 0 || !take_exponent(text, exponent) || !text.empty()) {
        return {0, DecimalProblem::not_a_number};
    }
    const Decimal result =
        rounded(digits, static_cast<std::int64_t>(digits.whole) + decimals + exponent);
    const bool is_nothing = result.value == 0 && result.problem == DecimalProblem::none;
    return is_negative && !is_nothing ? Decimal{0, DecimalProblem::negative} : result;
}

}  // namespace isotick::harness
