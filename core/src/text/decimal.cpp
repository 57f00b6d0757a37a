#include <isotick/core/detail/text/decimal.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace isotick::core {
namespace {

constexpr int kMostExponent = 400;

std::string_view take_digits(std::string_view& text) {
    const auto end = std::ranges::find_if(text, [](char each) { return each < '0' || each > '9'; });
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    return digits;
}

/// Takes an exponent, if there is one; false on nonsense.
bool take_exponent(std::string_view& text, int& exponent) {
    if (text.empty() || (text[0] != 'e' && text[0] != 'E')) {
        return true;
    }
    text.remove_prefix(text.size() > 1 && text[1] == '+' ? 2 : 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc() && exponent >= -kMostExponent && exponent <= kMostExponent;
}

unsigned digit_at(const DecimalDigits& digits, std::size_t index) {
    const std::size_t whole = digits.whole.size();
    if (index >= digits.size()) {
        return 0;
    }
    const char digit = index < whole ? digits.whole[index] : digits.fraction[index - whole];
    return static_cast<unsigned>(digit - '0');
}

}  // namespace

DecimalDigits DecimalDigits::take(std::string_view& text, char point) {
    DecimalDigits digits{.whole = take_digits(text), .fraction = {}};
    if (text.starts_with(point)) {
        text.remove_prefix(1);
        digits.has_point = true;
        digits.fraction = take_digits(text);
    }
    return digits;
}

std::optional<std::uint64_t> DecimalDigits::scaled(std::int64_t places) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    const std::int64_t end = static_cast<std::int64_t>(whole.size()) + places;
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < end; ++i) {
        const auto index = static_cast<std::size_t>(i);
        if (value == 0 && index >= size()) {
            break;
        }
        const unsigned digit = digit_at(*this, index);
        if (value > kMost / 10 || (value == kMost / 10 && digit > kMost % 10)) {
            return std::nullopt;
        }
        value = value * 10 + digit;
    }
    return value;
}

unsigned DecimalDigits::digit_after(std::int64_t places) const {
    const std::int64_t index = static_cast<std::int64_t>(whole.size()) + places;
    return index < 0 ? 0 : digit_at(*this, static_cast<std::size_t>(index));
}

std::size_t DecimalDigits::find_finer_than(std::size_t places) const {
    return fraction.find_first_not_of('0', std::min(places, fraction.size()));
}

Decimal scaled_decimal(std::string_view text, int places, char point) {
    constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
    const bool is_negative = text.starts_with('-');
    text.remove_prefix(is_negative ? 1 : 0);
    const DecimalDigits digits = DecimalDigits::take(text, point);
    int exponent = 0;
    if (digits.size() == 0 || !take_exponent(text, exponent) || !text.empty()) {
        return {0, DecimalProblem::not_a_number};
    }
    const auto floored = digits.scaled(places + exponent);
    const bool is_too_large = !floored || *floored > kMost;
    const std::uint64_t up = digits.digit_after(places + exponent) >= 5 ? 1 : 0;
    if (is_negative && (is_too_large || *floored + up > 0)) {
        return {0, DecimalProblem::negative};
    }
    return is_too_large ? Decimal{0, DecimalProblem::too_large}
                        : Decimal{static_cast<std::int64_t>(*floored + up)};
}

}  // namespace isotick::core
