#include "bounce.hpp"

#include <isotick/harness/gtest.hpp>

#include <gtest/gtest.h>

using isotick::harness::IsBitIdentical;
using isotick::harness::replay;

TEST(Bounce, ReplaysTheKicks) {
    const auto& bounce = isotick::core::simulation_table<Bounce>();
    const auto schedule = isotick::core::Schedule::parse("mix(seed=7)").value();
    EXPECT_THAT(replay("recordings/kicks.isotick", bounce, {.schedule = schedule}),
                IsBitIdentical());
}
