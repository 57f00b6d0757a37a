// The kinds of schedule items: parameters, limits, frames, random draw.

#include "parameters.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace isotick::core {
namespace {

// `backwards(60hz, 5%, 3ms, seed=6)`: sometimes a frame time from -most to -1 ns stands in for a
// steady frame.

constexpr std::array kBackwardsParameters{
    kRate, share_parameter("share"),
    duration_parameter<&ScheduleItem::duration, kPositiveDurations>("most"), kSeed};

Frames backwards_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      share = item.per_mille, most = item.duration.nanoseconds]() mutable {
        return random.chance(share, 1000) ? -random.between(1, most) : clock.next();
    });
}

void draw_backwards(Draw& draw, ScheduleItem& item) {
    const std::int64_t frame = tick_length(*item.rate);
    item.per_mille = draw.share(1, 30);
    item.duration = draw.duration(frame / 10, frame);
}

}  // namespace

constinit const ItemKind kBackwardsItem{.name = "backwards",
                                        .parameters = kBackwardsParameters,
                                        .frames = backwards_frames,
                                        .draw = draw_backwards};

// `bimodal(4ms, 30ms, 25%, seed=3)`: usual frames and a share of rare ones.

namespace {

constexpr std::array kBimodalParameters{duration_parameter("usual"),
                                        duration_parameter<&ScheduleItem::other_duration>("rare"),
                                        share_parameter("share"), kSeed};

Frames bimodal_frames(const ScheduleItem& item, const FramesStart&) {
    return frames_of([random = Pcg32(item.seed), usual = item.duration.nanoseconds,
                      rare = item.other_duration.nanoseconds, share = item.per_mille]() mutable {
        return random.chance(share, 1000) ? rare : usual;
    });
}

void draw_bimodal(Draw& draw, ScheduleItem& item) {
    item.duration = draw.duration(draw.tick / 8, draw.tick);
    item.other_duration = draw.duration(draw.tick, 8 * draw.tick);
    item.per_mille = draw.share(1, 50);
}

}  // namespace

constinit const ItemKind kBimodalItem{.name = "bimodal",
                                      .parameters = kBimodalParameters,
                                      .frames = bimodal_frames,
                                      .draw = draw_bimodal};

// Unusual frames that come in a known number.

/// Picks exactly one frame out of every so many, each time at a place drawn anew.
class OneInEvery {
  public:
    explicit OneInEvery(std::uint32_t every) : every_(every) {}

    bool next(Pcg32& random) {
        if (at_ == 0) {
            place_ = random.below(every_);
        }
        const bool is_picked = at_ == place_;
        at_ = at_ + 1 == every_ ? 0 : at_ + 1;
        return is_picked;
    }

  private:
    std::uint32_t every_;
    std::uint32_t at_ = 0;
    std::uint32_t place_ = 0;
};

// `burst(60hz, 1000x1ns, every=300, seed=8)`: before a picked steady frame comes a whole run of
// tiny ones.

namespace {

Result<void> read_burst(TextCursor& cursor, ScheduleItem& item) {
    ISOTICK_TRY(
        store(cursor.read_number("a burst such as 1000x1ns, its frames", 1, kMostBurstFrames),
              item.burst_frames));
    ISOTICK_TRY(cursor.expect('x'));
    return store(cursor.read_duration(), item.duration);
}

constexpr Parameter kBurst{
    {"burst", read_burst,
     [](const ScheduleItem& item) {
         return std::to_string(item.burst_frames) + "x" + to_string(item.duration);
     },
     [](const ScheduleItem& from, ScheduleItem& to) {
         to.burst_frames = from.burst_frames;
         to.duration = from.duration;
     },
     [](const ScheduleItem& item) {
         return item.burst_frames >= 1 && item.burst_frames <= kMostBurstFrames
                    ? limits_problem<&ScheduleItem::duration, kDurations>(item)
                    : Problem("a burst of 1 to 1000000 frames");
     }}};
constexpr std::array kBurstParameters{kRate, kBurst, kEvery, kSeed};
constexpr std::array kTinyFrames{1, 1, 1, 100, 1000};

Frames burst_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      bursts = OneInEvery(item.every), tiny = item.duration.nanoseconds,
                      length = item.burst_frames, left = 0U, steady_is_due = false]() mutable {
        if (left == 0 && !steady_is_due && bursts.next(random)) {
            left = length;
            steady_is_due = true;
        }
        if (left > 0) {
            --left;
            return tiny;
        }
        steady_is_due = false;
        return clock.next();
    });
}

// With steady frames at most 4 times the tick rate: fewer than 4 × (1 + 10) frames a tick.
void draw_burst(Draw& draw, ScheduleItem& item) {
    item.every = draw.number(20, 600);
    item.burst_frames = draw.number(10, std::min(10 * item.every, 5000U));
    item.duration = {kTinyFrames[draw.random.below(kTinyFrames.size())]};
}

}  // namespace

constinit const ItemKind kBurstItem{.name = "burst",
                                    .parameters = kBurstParameters,
                                    .frames = burst_frames,
                                    .rate_factor = 4,
                                    .draw = draw_burst};

// `edges(nominal, seed=9)`: every frame ends 1 ns before, at or 1 ns after a floored multiple of
// the tick. One multiple in four is crept across in 1 ns frames; one in eight is leapt over.

namespace {

constexpr std::array kEdgesParameters{kRate, kSeed};

Frames edges_frames(const ScheduleItem& item, const FramesStart& start) {
    TickClock clock(generator_rate(item, start));
    // `offset` is where the last frame ended, from the multiple before.
    const std::int64_t first_offset = clock.seek(start.elapsed);
    return frames_of([random = Pcg32(item.seed), clock, offset = first_offset,
                      is_creeping = false]() mutable -> std::int64_t {
        if (is_creeping && offset < 1) {
            ++offset;
            return 1;
        }
        std::int64_t distance = clock.next();
        if (random.chance(1, 8)) {
            distance += clock.next();
        }
        const std::uint32_t drawn = random.below(4);
        is_creeping = drawn == 3;
        const std::int64_t next = is_creeping ? -1 : std::int64_t{drawn} - 1;
        return distance - std::exchange(offset, next) + next;
    });
}

}  // namespace

constinit const ItemKind kEdgesItem{
    .name = "edges",
    .parameters = kEdgesParameters,
    .frames = edges_frames,
    .rate_factor = 0};  // the edges that matter are those of the session's own ticks

// `hitches(60hz, 2s, every=200, seed=5)`: a picked frame is longer by a tenth to the whole of the
// longest hitch.

namespace {

constexpr std::array kHitchesParameters{
    kRate, duration_parameter<&ScheduleItem::duration, kPositiveDurations>("longest"), kEvery,
    kSeed};

Frames hitches_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      hitches = OneInEvery(item.every),
                      longest = item.duration.nanoseconds]() mutable {
        std::int64_t frame = clock.next();
        if (hitches.next(random)) {
            frame += random.between(std::max<std::int64_t>(longest / 10, 1), longest);
        }
        return frame;
    });
}

void draw_hitches(Draw& draw, ScheduleItem& item) {
    item.duration = draw.duration(2 * draw.tick, 1200 * draw.tick);
    item.every = draw.number(10, 600);
}

}  // namespace

constinit const ItemKind kHitchesItem{.name = "hitches",
                                      .parameters = kHitchesParameters,
                                      .frames = hitches_frames,
                                      .draw = draw_hitches};

// `jitter(60hz, 3ms, seed=7)`: each frame is off by its own amount, but never below zero.

namespace {

constexpr std::array kJitterParameters{kRate, duration_parameter("spread"), kSeed};

Frames jitter_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      spread = item.duration.nanoseconds]() mutable {
        const std::int64_t frame = clock.next() + random.between(-spread, spread);
        return std::max<std::int64_t>(frame, 0);
    });
}

void draw_jitter(Draw& draw, ScheduleItem& item) {
    const std::int64_t frame = tick_length(*item.rate);
    item.duration = draw.duration(frame / 50, frame + frame / 5);
}

}  // namespace

constinit const ItemKind kJitterItem{.name = "jitter",
                                     .parameters = kJitterParameters,
                                     .frames = jitter_frames,
                                     .weights = {.forward = 1},
                                     .draw = draw_jitter};

// `mix(seed=11)`: blocks of 1 to 240 frames of other kinds, drawn one after the other.

namespace {

constexpr std::array kMixParameters{kSeed};

Frames mix_frames(const ScheduleItem& item, const FramesStart& start) {
    return [random = Pcg32(item.seed), now = start, block = Frames(),
            left = std::uint64_t{0}](std::span<std::int64_t> times) mutable {
        while (!times.empty()) {
            if (left == 0) {
                const ScheduleItem drawn = draw_block(random, now.session_rate);
                block = kind_of(drawn).frames(drawn, now);
                left = drawn.count;
            }
            const auto some = times.first(std::min<std::size_t>(left, times.size()));
            block(some);
            now.pass(some);
            left -= some.size();
            times = times.subspan(some.size());
        }
    };
}

}  // namespace

constinit const ItemKind kMixItem{
    .name = "mix", .parameters = kMixParameters, .frames = mix_frames, .weights = {.block = 0}};

// The items without a name: `16.667ms`, one frame time again and again, and `60hz` or `nominal`,
// steady frames.

namespace {

constexpr std::array kTime{unlimited(duration_parameter("time"))};
constexpr std::array kSteadyRate{unlimited(kRate)};

}  // namespace

constinit const ItemKind kFrameItem{
    .name = "",
    .parameters = kTime,
    .frames =
        [](const ScheduleItem& item, const FramesStart&) {
            return frames_of([time = item.duration.nanoseconds] { return time; });
        },
    .weights = {.alone = 0},
    .must_end = true,
    .is_count_implied = [](const ScheduleItem& item) { return item.count == 1; }};

constinit const ItemKind kSteadyItem{
    .name = "",
    .parameters = kSteadyRate,
    .frames =
        [](const ScheduleItem& item, const FramesStart& start) {
            TickClock clock(item.rate.value_or(start.session_rate));
            return frames_of([clock]() mutable { return clock.next(); });
        },
    .weights = {.forward = 1},
    .rate_factor = 40};

// `quantised(60hz, 15.625ms)`: differences of readings rounded down to the clock's unit, as
// SDL_GetTicks gives them.

namespace {

constexpr Limits<FrameTime> kClockLimits{{1}, {kCoarsestClock}, "a clock of 1ns to 1s"};
constexpr std::array kQuantisedParameters{
    kRate, optional(duration_parameter<&ScheduleItem::duration, kClockLimits>("clock"))};
constexpr std::array kClocks{1'000'000, 1'000'000, 10'000'000, 15'625'000, 100'000};

Frames quantised_frames(const ScheduleItem& item, const FramesStart& start) {
    // `rest` is the time since the last reading that it did not show.
    return frames_of([clock = clock_of(item, start), unit = item.duration.nanoseconds,
                      rest = std::int64_t{0}]() mutable {
        const std::int64_t passed = rest + clock.next();
        rest = passed % unit;
        return passed - rest;
    });
}

void draw_quantised(Draw& draw, ScheduleItem& item) {
    const std::int64_t clock = kClocks[draw.random.below(kClocks.size())];
    item.duration = {clock <= 4 * draw.tick ? clock : std::max<std::int64_t>(draw.tick / 4, 1)};
}

}  // namespace

constinit const ItemKind kQuantisedItem{.name = "quantised",
                                        .parameters = kQuantisedParameters,
                                        .frames = quantised_frames,
                                        .weights = {.forward = 1},
                                        .draw = draw_quantised,
                                        // Most clocks of SDL_GetTicks' age count milliseconds.
                                        .usual_duration = {1'000'000}};

// `stuck(60hz, 12.5%, seed=2)`: zero while the clock stands still; the first frame after it carries
// the time that was missed.

namespace {

constexpr std::array kStuckParameters{kRate, share_parameter("share"), kSeed};
constexpr int kLongestRun = 100;  // so that even a share of 100% makes progress

Frames stuck_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      share = item.per_mille, run = 0,
                      missed = std::int64_t{0}]() mutable -> std::int64_t {
        missed += clock.next();
        if (random.chance(share, 1000) && run < kLongestRun) {
            ++run;
            return 0;
        }
        run = 0;
        return std::exchange(missed, 0);
    });
}

void draw_stuck(Draw& draw, ScheduleItem& item) {
    item.per_mille = draw.share(5, 60);
}

}  // namespace

constinit const ItemKind kStuckItem{
    .name = "stuck", .parameters = kStuckParameters, .frames = stuck_frames, .draw = draw_stuck};

// `vsync(60hz, miss=10%, seed=4)`: whole refreshes, one or, of a missed frame, two, three or four,
// equally often.

namespace {

constexpr std::array kVsyncParameters{kRate, named(share_parameter("miss")), kSeed};

Frames vsync_frames(const ScheduleItem& item, const FramesStart& start) {
    return frames_of([random = Pcg32(item.seed), clock = clock_of(item, start),
                      share = item.per_mille]() mutable {
        std::int64_t frame = clock.next();
        if (random.chance(share, 1000)) {
            for (std::uint32_t missed = 1 + random.below(3); missed > 0; --missed) {
                frame += clock.next();
            }
        }
        return frame;
    });
}

void draw_vsync(Draw& draw, ScheduleItem& item) {
    item.per_mille = draw.share(1, 50);
}

}  // namespace

constinit const ItemKind kVsyncItem{.name = "vsync",
                                    .parameters = kVsyncParameters,
                                    .frames = vsync_frames,
                                    .weights = {.forward = 1},
                                    .draw = draw_vsync};

}  // namespace isotick::core
