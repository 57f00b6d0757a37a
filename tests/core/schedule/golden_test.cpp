// Known answers: the first eight frames of each form, computed by a program that shares no code
// with isotick. A change here breaks every schedule that anybody has ever printed.

#include "schedule_support.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/hash.hpp>

#include <iterator>
#include <string>

namespace isotick::core {
namespace {

struct Golden {
    const char* name;
    const char* text;
    std::vector<std::int64_t> frames;
};

void PrintTo(const Golden& golden, std::ostream* stream) {
    *stream << golden.text;
}

class GoldenFrames : public testing::TestWithParam<Golden> {};

TEST_P(GoldenFrames, AreAsKnown) {
    EXPECT_EQ(frames(GetParam().text, 8), GetParam().frames);
}

INSTANTIATE_TEST_SUITE_P(
    Schedule, GoldenFrames,
    testing::Values(
        Golden{"runs",
               "2x16.667ms, 0ms, -3ms, 1ns, 2s",
               {16667000, 16667000, 0, -3000000, 1, 2000000000, 16667000, 16667000}},
        Golden{"nominal",
               "nominal",
               {16666666, 16666667, 16666667, 16666666, 16666667, 16666667, 16666666, 16666667}},
        Golden{"ntsc",
               "60000/1001hz",
               {16683333, 16683333, 16683334, 16683333, 16683333, 16683334, 16683333, 16683333}},
        Golden{"jitter",
               "jitter(60hz, 3ms, seed=7)",
               {16336114, 18648063, 15852597, 15138537, 18733575, 19385979, 14966479, 17603970}},
        Golden{"vsync",
               "vsync(60hz, miss=30%, seed=1)",
               {16666666, 16666667, 16666667, 50000000, 16666666, 50000000, 16666667, 16666667}},
        Golden{"bimodal",
               "bimodal(4ms, 30ms, 25%, seed=3)",
               {4000000, 4000000, 4000000, 30000000, 30000000, 30000000, 4000000, 30000000}},
        Golden{"hitches",
               "hitches(60hz, 2s, every=4, seed=0)",
               {1555434855, 16666667, 16666667, 16666666, 263047853, 16666667, 16666666, 16666667}},
        Golden{"quantised",
               "quantised(75hz)",
               {13000000, 13000000, 14000000, 13000000, 13000000, 14000000, 13000000, 13000000}},
        Golden{"stuck",
               "stuck(60hz, 30%, seed=2)",
               {16666666, 16666667, 0, 33333333, 16666667, 16666667, 0, 33333333}},
        Golden{"backwards",
               "backwards(60hz, 25%, 3ms, seed=1)",
               {16666666, 16666667, 16666667, 16666666, -1016409, -2516027, 16666667, 16666667}},
        Golden{
            "burst", "burst(60hz, 3x1ns, every=2, seed=5)", {16666666, 1, 1, 1, 16666667, 1, 1, 1}},
        Golden{"edges",
               "edges(60hz, seed=1)",
               {16666666, 16666668, 16666667, 33333331, 16666669, 33333331, 16666669, 16666664}},
        Golden{"edges_later",
               "20ms, 8xedges(60hz, seed=2)",
               {20000000, 13333332, 16666667, 1, 1, 16666664, 16666668, 16666666}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(GoldenMix, IsAsPinned) {
    StreamDigester digester;
    for (const std::int64_t each : frames("mix(seed=4)", 10'000)) {
        digester.update(static_cast<std::uint64_t>(each));
    }
    EXPECT_EQ(to_string(digester.value()), "59007ba3c63d2029589d1082a71c5b36");
}

TEST(GoldenRandomSchedule, IsAsPinned) {
    const char* const expected[] = {"bimodal(5.6ms, 16.7ms, 32%, seed=2811495245)",
                                    "edges(60hz, seed=17903413)",
                                    "hitches(60000/1001hz, 4.39s, every=135, seed=1209266393)",
                                    "mix(seed=3019607098)", "144hz"};
    for (std::uint64_t seed = 0; seed < std::size(expected); ++seed) {
        EXPECT_EQ(random_schedule(seed, rate()).to_string(), expected[seed]);
    }
}

}  // namespace
}  // namespace isotick::core
