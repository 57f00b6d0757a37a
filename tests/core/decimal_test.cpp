#include <isotick/core/detail/text.hpp>

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

std::string scaled(const char* text, int decimals = 6) {
    const Decimal decimal = scaled_decimal(text, decimals);
    switch (decimal.problem) {
        case DecimalProblem::none:
            return std::to_string(decimal.value);
        case DecimalProblem::negative:
            return "negative";
        case DecimalProblem::too_large:
            return "too large";
        default:
            return "no number";
    }
}

TEST(Decimal, IsScaledExactly) {
    EXPECT_EQ(scaled("16.667"), "16667000");
    EXPECT_EQ(scaled("16.66700000000000"), "16667000");
    EXPECT_EQ(scaled("0.1"), "100000");
    EXPECT_EQ(scaled(".5"), "500000");
    EXPECT_EQ(scaled("5."), "5000000");
    EXPECT_EQ(scaled("000000000000000000000000000000017"), "17000000");
    EXPECT_EQ(scaled("999999999999999999", 0), "999999999999999999");
    EXPECT_EQ(scaled_decimal("0,0167", 9, ',').value, 16'700'000);
}

TEST(Decimal, IsRoundedToTheNearestHalvesUp) {
    EXPECT_EQ(scaled("0.0000004"), "0");
    EXPECT_EQ(scaled("0.0000005"), "1");
    EXPECT_EQ(scaled("0.00000049999999999999999999999999999"), "0");
    EXPECT_EQ(scaled("9.9999999999999999999"), "10000000");
    EXPECT_EQ(scaled("5", -1), "1");
    EXPECT_EQ(scaled("5", -2), "0");
    EXPECT_EQ(scaled("-0.0000004"), "0");
}

TEST(Decimal, TakesExponents) {
    EXPECT_EQ(scaled("1.66667E+01"), "16666700");
    EXPECT_EQ(scaled("1.5e-05"), "15");
    EXPECT_EQ(scaled("15e-7"), "2");
    EXPECT_EQ(scaled("1e-400"), "0");
    EXPECT_EQ(scaled("0e400"), "0");
    EXPECT_EQ(scaled("1e12"), "1000000000000000000");
}

TEST(Decimal, SaysWhatItIsNot) {
    for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "nan", "inf", "0x10", "1 ",
                             "+1", "1e401", "1e-401", "--1", "1,5"}) {
        EXPECT_EQ(scaled(text), "no number") << text;
    }
    EXPECT_EQ(scaled("-1"), "negative");
    EXPECT_EQ(scaled("-1e400"), "negative");
    EXPECT_EQ(scaled("1e13"), "too large");
    EXPECT_EQ(scaled("99999999999999999999999999"), "too large");
}

TEST(DecimalDigits, AreTakenFromTheFront) {
    std::string_view text = "16.6670ms";
    const DecimalDigits digits = DecimalDigits::take(text);
    EXPECT_EQ(digits.whole, "16");
    EXPECT_EQ(digits.fraction, "6670");
    EXPECT_EQ(text, "ms");
    EXPECT_EQ(digits.find_finer_than(2), 2U);
    EXPECT_EQ(digits.find_finer_than(3), std::string_view::npos);
}

TEST(DecimalDigits, AreScaledUpToSixtyFourBits) {
    std::string_view most = "18446744073709.551615";
    std::string_view more = "18446744073709.551616";
    EXPECT_EQ(DecimalDigits::take(most).scaled(6), 18'446'744'073'709'551'615U);
    EXPECT_EQ(DecimalDigits::take(more).scaled(6), std::nullopt);
}

}  // namespace
}  // namespace isotick::core
