#include "bounce.hpp"

#include <isotick/harness/gtest.hpp>

#include <gtest/gtest.h>

using isotick::harness::AllPeersAgree;
using isotick::harness::in_this_process;
using isotick::harness::IsBitIdentical;
using isotick::harness::replay;
using isotick::harness::run_lockstep;

TEST(Bounce, ReplaysTheKicks) {
    const auto& bounce = isotick::core::simulation_table<Bounce>();
    const auto schedule = isotick::core::Schedule::parse("mix(seed=7)").value();
    EXPECT_THAT(replay("recordings/kicks.isotick", bounce, {.schedule = schedule}),
                IsBitIdentical());
}

TEST(Bounce, IsTheSameForThoseWhoWatch) {
    const auto& bounce = isotick::core::simulation_table<Bounce>();
    isotick::harness::LockstepOptions options;
    options.plan =
        isotick::harness::parse_lockstep_plan("lockstep; 2 peers; 1 spectators; network awful")
            .value();
    EXPECT_THAT(run_lockstep("recordings/kicks.isotick", options, in_this_process(bounce)),
                AllPeersAgree());
}
