// Which divergence is looked for, as text and against what was seen.

#include "bisect/expectation.hpp"

#include "bisect/by_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::harness::bisect {
namespace {

using ::testing::ElementsAre;

Expectation expect(const char* text) {
    return Expectation::parse(text).value();
}

Signature seen(std::uint64_t tick, std::vector<std::string> fields) {
    return {tick + 1, {}, std::move(fields), true, tick + 1};
}

TEST(Expectation, IsATickFieldsOrBoth) {
    EXPECT_EQ(expect("tick 7").ticks_done, 8U);
    EXPECT_EQ(expect("the initial state").ticks_done, 0U);
    const Expectation both = expect("tick 1456, mobjs[3].tics, scores[\"a, b\"]");
    EXPECT_EQ(both.ticks_done, 1457U);
    EXPECT_THAT(both.fields, ElementsAre("mobjs[*].tics", "scores[*]"));
    EXPECT_EQ(to_string(both), "tick 1456, mobjs[*].tics, scores[*]");
}

TEST(Expectation, RefusesWhatIsNeither) {
    for (const char* text : {"", ",", "tick x", "tick -1", "tick 1, tick 2", "a..b", "a[",
                             "tick 18446744073709551615"}) {
        EXPECT_FALSE(Expectation::parse(text)) << text;
    }
}

TEST(Expectation, FitsItsTickAndOneOfItsFields) {
    const Expectation both = expect("tick 9, units[*].velocity, score");
    EXPECT_EQ(both.fits(seen(9, {"units[*].velocity.x"})), Fit::yes);
    EXPECT_EQ(both.fits(seen(9, {"x", "score"})), Fit::yes);
    EXPECT_EQ(both.fits(seen(9, {"units[*].velocity2", "scores"})), Fit::absent);
    EXPECT_EQ(both.fits(seen(8, {"score"})), Fit::elsewhere);
    EXPECT_EQ(expect("score").fits(seen(8, {"x"})), Fit::elsewhere);
}

TEST(Expectation, IsUnknownWhereFieldsAre) {
    Signature unknown = seen(9, {});
    unknown.fields_known = false;
    EXPECT_EQ(expect("tick 9").fits(unknown), Fit::yes);
    EXPECT_EQ(expect("tick 9, x").fits(unknown), Fit::unknown);
    EXPECT_EQ(expect("tick 8, x").fits(unknown), Fit::elsewhere);
}

TEST(Expectation, FitsATickBetweenHashesThatAreNotRecorded) {
    Signature coarse = seen(59, {});
    coarse.agreed_to = 0;
    EXPECT_EQ(expect("tick 40").fits(coarse), Fit::yes);
    EXPECT_EQ(expect("tick 60").fits(coarse), Fit::elsewhere);
}

TEST(Expectation, IsWhatASignatureSays) {
    const Signature signature = seen(3, {"a", "b[*].c"});
    EXPECT_EQ(to_string(Expectation::of(signature)), "tick 3, a, b[*].c");
    EXPECT_EQ(Expectation::of(signature).fits(signature), Fit::yes);
}

TEST(FieldNames, LieInThoseTheyBeginWith) {
    EXPECT_TRUE(lies_in("units[*].x", "units"));
    EXPECT_TRUE(lies_in("units[*].x", "units[*]"));
    EXPECT_TRUE(lies_in("units", "units"));
    EXPECT_FALSE(lies_in("units2", "units"));
    EXPECT_FALSE(lies_in("units", "units[*].x"));
}

}  // namespace
}  // namespace isotick::harness::bisect
