// What a Recorder allocates on the thread that plays.

#include "counted_allocations.hpp"
#include "scratch.hpp"

#include <isotick/replay/recorder.hpp>

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace isotick::replay {
namespace {

class RecorderMemory : public Scratch, public ::testing::WithParamInterface<std::uint32_t> {};

// Ticks whose inputs and dts change at every tick, without any memory of their own.
struct Pads {
    std::array<std::uint8_t, 8> pad{};
    std::array<isotick_input, 2> inputs{isotick_input{0, 1, 8, pad.data()},
                                        isotick_input{ISOTICK_WORLD, 0, 0, nullptr}};
    TickHashes hashes;

    void play(Recorder& recorder, std::uint64_t tick, bool confirms) {
        pad[tick % 8] = static_cast<std::uint8_t>(tick / 8);
        hashes.state = core::StateHash{tick};
        const auto frame_time = static_cast<std::int64_t>(16'000'000 + tick % 1000);
        ASSERT_TRUE(recorder.record(core::Tick{tick}, inputs, &hashes,
                                    core::TickDt::of(core::FrameTime{frame_time})));
        if (confirms && tick % 8 == 7) {
            ASSERT_TRUE(recorder.confirm(core::Tick{tick}));
        }
    }
};

TEST_P(RecorderMemory, IsReusedOnceTheLargestTicksWereSeen) {
    RecordingHead head;
    head.session.simulation = "pads";
    head.session.players = 1;
    auto recorder =
        Recorder::create(path(), head, {}, {.patience_ms = 60'000, .most_unconfirmed = GetParam()});
    ASSERT_TRUE(recorder);
    Pads pads;
    for (std::uint64_t tick = 0; tick < 1024; ++tick) {
        pads.play(*recorder, tick, GetParam() != 0);
    }
    const std::uint64_t before = allocations_here();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "nobody counts under a sanitizer";
#endif
    ASSERT_GT(before, 0U);
    for (std::uint64_t tick = 1024; tick < 8192; ++tick) {
        pads.play(*recorder, tick, GetParam() != 0);
    }
    EXPECT_EQ(allocations_here(), before);
    EXPECT_TRUE(recorder->finish(pads.hashes));
}

INSTANTIATE_TEST_SUITE_P(Unconfirmed, RecorderMemory, ::testing::Values(0U, 32U),
                         [](const auto& test) { return std::to_string(test.param); });

}  // namespace
}  // namespace isotick::replay
