#include <isotick/core/time.hpp>

#include <limits>

#include <gtest/gtest.h>

namespace isotick::core {
namespace {

TickRate rate(std::uint64_t numerator, std::uint64_t denominator = 1) {
    return TickRate::make(numerator, denominator).value();
}

TEST(TickRate, ReducesToLowestTerms) {
    EXPECT_EQ(rate(120000, 2002), rate(60000, 1001));
    EXPECT_EQ(rate(120, 2).denominator(), 1U);
}

TEST(TickRate, RefusesZeroAndHugeTerms) {
    EXPECT_FALSE(TickRate::make(0, 1));
    EXPECT_FALSE(TickRate::make(1, 0));
    EXPECT_FALSE(TickRate::make(1'000'000'001, 1));
}

TEST(TickRate, ParsesWhatItPrints) {
    for (const TickRate each : {rate(60), rate(60000, 1001), rate(1, 3)}) {
        EXPECT_EQ(TickRate::parse(to_string(each)).value(), each);
    }
    EXPECT_EQ(TickRate::parse("144").value(), rate(144));
}

TEST(TickRate, RefusesNonsenseText) {
    for (const char* text : {"", "hz", "-60hz", "60/", "/2", "60.5hz", "60 hz", "60/0"}) {
        EXPECT_FALSE(TickRate::parse(text)) << text;
    }
}

TEST(TickRate, TimeOfTickIsFlooredNotAccumulated) {
    EXPECT_EQ(rate(60).time_of(1), 16'666'666);
    EXPECT_EQ(rate(60).time_of(2), 33'333'333);
    EXPECT_EQ(rate(60).time_of(60ULL * 86'400 * 365), 365LL * 86'400 * kNanosecondsPerSecond);
}

TEST(TickRate, TimeOfSaturates) {
    EXPECT_EQ(rate(1, 1000).time_of(std::numeric_limits<std::uint64_t>::max()),
              std::numeric_limits<std::int64_t>::max());
}

TEST(TickRate, DtIsTheQuotientOfTheTerms) {
    EXPECT_EQ(rate(60).dt_seconds(), 1.0 / 60.0);
    EXPECT_EQ(rate(60000, 1001).dt_seconds(), 1001.0 / 60000.0);
}

}  // namespace
}  // namespace isotick::core
