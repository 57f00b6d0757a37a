// What is known about each loop. LOOPS.md tells it at length.

#include <isotick/core/loops.hpp>

#include <array>
#include <cstddef>

namespace isotick::core {
namespace {

using Names = std::string_view;

constexpr std::array<Names, 12> kAccumulator{"longest-frame",  "most-ticks", "debt", "time-scale",
                                             "start-phase",    "every",      "ramp", "negative",
                                             "shortest-frame", "reread",     "view", "render"};
constexpr std::array<Names, 3> kClock{"most-ticks", "time-scale", "start-phase"};
constexpr std::array<Names, 5> kCanonical{"longest-frame", "time-scale", "start-phase", "view",
                                          "render"};
constexpr std::array<Names, 3> kReversible{"longest-frame", "time-scale", "start-phase"};
constexpr std::array<Names, 2> kWholeTicks{"longest-frame", "most-ticks"};
constexpr std::array<Names, 3> kSubsteps{"longest-frame", "most-ticks", "display"};
constexpr std::array<Names, 1> kFixed{"shortest-frame"};
constexpr std::array<Names, 2> kMilliseconds{"longest-frame", "view"};
constexpr std::array<Names, 4> kAccumulatorDouble{"longest-frame", "most-ticks", "time-scale",
                                                  "start-phase"};
constexpr std::array<Names, 2> kVariable{"longest-frame", "time-scale"};
constexpr std::array<Names, 5> kSemiFixed{"longest-frame", "most-ticks", "time-scale", "split",
                                          "most"};
constexpr std::array<Names, 5> kRanged{"longest-frame", "most-ticks", "time-scale", "least",
                                       "most"};
constexpr std::array<Names, 3> kGrowing{"longest-frame", "most", "steps"};

constexpr LoopInfo constant(LoopKind kind, Names name, Names summary, Names source,
                            std::span<const Names> options) {
    return {kind, name, summary, source, true, true, false, true, options};
}

constexpr LoopInfo changing(LoopKind kind, Names name, Names summary, Names source,
                            std::span<const Names> options) {
    return {kind, name, summary, source, false, true, false, false, options};
}

constexpr LoopInfo with(LoopInfo info, bool LoopInfo::*member, bool value) {
    info.*member = value;
    return info;
}

constexpr std::array kLoops{
    constant(LoopKind::accumulator, "accumulator",
             "whole ticks, the rest is kept and blended; exact, no drift",
             "\"Fix Your Timestep!\", \"Free the physics\" and \"The final touch\"", kAccumulator),
    with(constant(LoopKind::threaded, "threaded",
                  "as accumulator, with the simulation on its own thread",
                  "\"Fix Your Timestep!\", comments 107, 123, 132: \"version 2.0\"", kAccumulator),
         &LoopInfo::own_thread, true),
    constant(LoopKind::clock, "clock",
             "ticks while the clock is a tick ahead of the simulated time; exact",
             "\"Fix Your Timestep!\", comment 148 (McRae)", kClock),
    constant(LoopKind::canonical, "canonical",
             "as accumulator, but too long a frame is reset to one tick",
             "\"Canonical Game Loop\"; \"Fix Your Timestep!\", comment 71 (brighthead)",
             kCanonical),
    constant(LoopKind::reversible, "reversible",
             "negative frame times go back through the states that were there",
             "\"Fix Your Timestep!\", comment 87 (Gurki)", kReversible),
    with(constant(LoopKind::whole_ticks, "whole-ticks",
                  "waits until the frame has lasted whole ticks; no rest, no blending",
                  "\"Fix Your Timestep!\", comment 99 (Defaisse)", kWholeTicks),
         &LoopInfo::blends, false),
    with(constant(LoopKind::substeps, "substeps",
                  "the nearest whole number of small ticks; runs a little fast or slow",
                  "\"Fix Your Timestep!\", comment 6 (Stolk): the golden 4.8537 ms", kSubsteps),
         &LoopInfo::blends, false),
    with(with(constant(LoopKind::fixed, "fixed",
                       "one tick per frame, however long it takes; as fast as the host",
                       "\"Fix Your Timestep!\", \"Fixed delta time\"", kFixed),
              &LoopInfo::blends, false),
         &LoopInfo::varies_ticks_per_frame, false),
    constant(
        LoopKind::milliseconds, "milliseconds", "clock, accumulator and tick in whole milliseconds",
        "\"Cross-platform SDL 2 game loop time steps\", \"Game Loop time step\"", kMilliseconds),
    constant(LoopKind::accumulator_double, "accumulator-double",
             "the accumulator as printed, in double: rounds, so drifts",
             "\"Fix Your Timestep!\", \"Free the physics\" and \"The final touch\"",
             kAccumulatorDouble),
    constant(LoopKind::clock_double, "clock-double",
             "as clock, in double: the simulated time rounds, so drifts",
             "\"Fix Your Timestep!\", comment 148 (McRae)", {}),
    constant(LoopKind::turns, "turns", "a fractional turn that starts at one, in double",
             "forum, \"Fixed timestep logic help\", third post", {}),
    with(changing(LoopKind::variable, "variable", "one step as long as the frame",
                  "\"Fix Your Timestep!\", \"Variable delta time\"", kVariable),
         &LoopInfo::varies_ticks_per_frame, false),
    changing(LoopKind::semi_fixed, "semi-fixed",
             "steps of at most one tick that together are the frame",
             "\"Fix Your Timestep!\", \"Semi-fixed timestep\"; comments 35 (starwed) and 89",
             kSemiFixed),
    changing(LoopKind::ranged, "ranged", "steps of a length within a range; less is stockpiled",
             "\"Fix Your Timestep!\", comment 2 (Zach)", kRanged),
    with(changing(LoopKind::growing, "growing",
                  "ticks of double, four times, … the length while too many are due",
                  "\"Cross-platform SDL 2 game loop time steps\", introduction; \"Fix Your "
                  "Timestep!\", comment 90 (Gregor)",
                  kGrowing),
         &LoopInfo::blends, true),
};

}  // namespace

std::span<const LoopInfo> loops() {
    return kLoops;
}

const LoopInfo& info_of(LoopKind kind) {
    return kLoops.at(static_cast<std::size_t>(kind));
}

bool varies_ticks_per_frame(const LoopOptions& options) {
    return info_of(options.kind).varies_ticks_per_frame && !options.display;
}

}  // namespace isotick::core
