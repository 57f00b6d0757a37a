#include <isotick/core/detail/tick_dt.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();

std::string exactly(double seconds) {
    const auto dt = TickDt::exactly(seconds);
    return dt ? to_string(*dt) : "refused";
}

TEST(TickDt, IsInLowestTerms) {
    EXPECT_EQ(to_string(TickDt::make(2, 120).value()), "1/60");
    EXPECT_EQ(TickDt::make(2, 120).value(), TickDt::make(1, 60).value());
    EXPECT_EQ(to_string(TickDt::make(kMost, 1).value()), std::to_string(kMost));
}

TEST(TickDt, MayBeZero) {
    EXPECT_EQ(TickDt::make(0, 60).value(), TickDt::make(0, 1).value());
    EXPECT_EQ(to_string(TickDt::of(FrameTime{-5})), "0");
}

TEST(TickDt, NeedsADenominator) {
    EXPECT_EQ(TickDt::make(1, 0).error().code, ErrorCode::usage);
}

TEST(TickDt, OfARateIsItsConstantDt) {
    const TickRate rate = TickRate::make(60000, 1001).value();
    EXPECT_EQ(to_string(TickDt(rate)), "1001/60000");
    EXPECT_EQ(std::bit_cast<std::uint64_t>(TickDt(rate).seconds()),
              std::bit_cast<std::uint64_t>(rate.dt_seconds()));
}

TEST(TickDt, OfAFrameIsItsNanoseconds) {
    EXPECT_EQ(to_string(TickDt::of(FrameTime{16'666'667})), "16666667/1000000000");
    EXPECT_EQ(to_string(TickDt::of(FrameTime{20'000'000})), "1/50");
}

TEST(TickDt, OfADoubleHasItsBits) {
    for (const double seconds : {1.0 / 60, 0.1, 0.25, 3.0, 1e19, 0.0006, 1.0 / 3}) {
        const auto dt = TickDt::exactly(seconds);
        ASSERT_TRUE(dt) << seconds;
        EXPECT_EQ(std::bit_cast<std::uint64_t>(dt->seconds()),
                  std::bit_cast<std::uint64_t>(seconds));
    }
    EXPECT_EQ(exactly(0.0), "0");
    EXPECT_EQ(exactly(0.375), "3/8");
    EXPECT_EQ(exactly(std::ldexp(1.0, -63)), "1/9223372036854775808");
    EXPECT_EQ(exactly(std::ldexp(1.0, 63)), "9223372036854775808");
}

TEST(TickDt, RefusesDoublesThatAreNoSuchFraction) {
    for (const double seconds :
         {-1.0, std::ldexp(1.0, -64), std::ldexp(1.0, 64), 1e-300,
          std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min(),
          std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(exactly(seconds), "refused") << seconds;
    }
}

TEST(TickDt, ReadsWhatItWrites) {
    for (const char* text : {"1/60", "0", "2", "1001/60000", "18446744073709551615/7"}) {
        EXPECT_EQ(to_string(TickDt::parse(text).value()), text);
    }
    EXPECT_EQ(to_string(TickDt::parse("2/120").value()), "1/60");
}

TEST(TickDt, RefusesWhatIsNoDt) {
    for (const char* text :
         {"", "1/", "/2", "1/0", "-1/2", "1 /2", "0.5", "1/2 s", "1/2/3", "18446744073709551616"}) {
        EXPECT_FALSE(TickDt::parse(text)) << text;
    }
}

}  // namespace
}  // namespace isotick::core
