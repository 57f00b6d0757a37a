// The size of recordings is a promise: bytes per tick, everything included, over an hour at 60 Hz.

#include "fake_session.hpp"
#include "scratch.hpp"

#include <iomanip>
#include <iostream>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

constexpr std::uint64_t kHour = 60 * 3600;

class Budget : public Scratch {
  protected:
    double bytes_per_tick(const FakeSession& session) {
        EXPECT_TRUE(session.record(path()));
        const auto bytes = static_cast<double>(std::filesystem::file_size(path()));
        const double each = bytes / static_cast<double>(session.ticks);
        std::cout << std::fixed << std::setprecision(3) << each << " bytes per tick\n";
        return each;
    }
};

FakeSession an_hour(std::uint32_t hash_every) {
    FakeSession session;
    session.ticks = kHour;
    session.head.hash_every = hash_every;
    return session;
}

FakeSession an_hour_of_pads(std::uint32_t hash_every) {
    FakeSession session = an_hour(hash_every);
    session.head.session.players = 2;
    session.input = pad_input;
    return session;
}

TEST_F(Budget, IdleHashedEveryTick) {
    EXPECT_LE(bytes_per_tick(an_hour(1)), 9.2);
}

TEST_F(Budget, IdleHashedEverySecond) {
    EXPECT_LE(bytes_per_tick(an_hour(60)), 1.2);
}

TEST_F(Budget, TwoPadsHashedEveryTick) {
    EXPECT_LE(bytes_per_tick(an_hour_of_pads(1)), 11.2);
}

TEST_F(Budget, IdleWithDtsMeasuredInNanoseconds) {
    FakeSession session = an_hour(1);
    session.dt = [](std::uint64_t tick) {
        return core::TickDt::of({16'166'667 + static_cast<std::int64_t>(mix(tick, 8) % 1'000'000)});
    };
    EXPECT_LE(bytes_per_tick(session), 12.6);
}

TEST_F(Budget, IdleWithOneTickInTenTwiceAsLong) {
    FakeSession session = an_hour(1);
    session.dt = [](std::uint64_t tick) {
        return core::TickDt::make(1, mix(tick, 3) % 10 == 0 ? 30 : 60).value();
    };
    EXPECT_LE(bytes_per_tick(session), 9.6);
}

TEST_F(Budget, TwoPadsHashedEverySecond) {
    EXPECT_LE(bytes_per_tick(an_hour_of_pads(60)), 3.2);
}

}  // namespace
}  // namespace isotick::replay
