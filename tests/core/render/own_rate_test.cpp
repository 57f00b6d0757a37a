#include <isotick/core/random.hpp>
#include <isotick/core/time.hpp>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotick::core {
namespace {

TickRate rate(std::uint64_t numerator, std::uint64_t denominator = 1) {
    return TickRate::make(numerator, denominator).value();
}

std::vector<std::uint64_t> first_ticks(const OwnRate& object, std::uint64_t count) {
    std::vector<std::uint64_t> due;
    for (std::uint64_t tick = 0; tick < count; ++tick) {
        due.push_back(object.due_in(Tick{tick}));
    }
    return due;
}

TEST(OwnRate, IsDueOnceATickAtTheSessionsOwnRate) {
    EXPECT_THAT(first_ticks(OwnRate::make(rate(60), rate(60)).value(), 3),
                ::testing::ElementsAre(1, 1, 1));
}

TEST(OwnRate, IsDueInSomeTicksWhereItIsSlower) {
    EXPECT_THAT(first_ticks(OwnRate::make(rate(60), rate(20)).value(), 6),
                ::testing::ElementsAre(0, 0, 1, 0, 0, 1));
}

TEST(OwnRate, IsDueSeveralTimesWhereItIsFaster) {
    EXPECT_THAT(first_ticks(OwnRate::make(rate(60), rate(100)).value(), 6),
                ::testing::ElementsAre(1, 2, 2, 1, 2, 2));
}

TEST(OwnRate, NeverDrifts) {
    const OwnRate film = OwnRate::make(rate(60), rate(24'000, 1001)).value();
    EXPECT_EQ(film.due_before(Tick{60ULL * 1001 * 86'400}), 24'000ULL * 86'400);
}

TEST(OwnRate, AddsUpToWhatIsDueBefore) {
    Pcg32 random(20'261'122);
    for (int round = 0; round < 200; ++round) {
        const OwnRate object = OwnRate::make(rate(1 + random.below(1000), 1 + random.below(1000)),
                                             rate(1 + random.below(1000), 1 + random.below(1000)))
                                   .value();
        std::uint64_t sum = 0;
        for (std::uint64_t tick = 0; tick < 100; ++tick) {
            ASSERT_EQ(object.due_before(Tick{tick}), sum);
            sum += object.due_in(Tick{tick});
        }
    }
}

TEST(OwnRate, RefusesWhatWouldNeverEnd) {
    const auto made = OwnRate::make(rate(1, 1'000'000'000), rate(1'000'000'000));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::limit);
}

}  // namespace
}  // namespace isotick::core
