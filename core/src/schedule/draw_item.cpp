#include "draw_item.hpp"

#include "frame_generators.hpp"

#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

__extension__ using Wide = unsigned __int128;

struct Terms {
    std::uint64_t numerator;
    std::uint64_t denominator;
};

/// Rates of films, broadcasts, displays and uncapped games.
constexpr std::array kCommonRates{
    Terms{24000, 1001}, Terms{24, 1},  Terms{25, 1},  Terms{30000, 1001},  Terms{30, 1},
    Terms{50, 1},       Terms{59, 1},  Terms{60, 1},  Terms{60000, 1001},  Terms{61, 1},
    Terms{72, 1},       Terms{75, 1},  Terms{90, 1},  Terms{120000, 1001}, Terms{120, 1},
    Terms{144, 1},      Terms{165, 1}, Terms{240, 1}, Terms{360, 1},       Terms{1000, 1}};

constexpr std::array kClocks{1'000'000, 1'000'000, 10'000'000, 15'625'000, 100'000};
constexpr std::array kTinyFrames{1, 1, 1, 100, 1000};

std::uint32_t draw(Pcg32& random, std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(random.between(low, high));
}

/// `low` to `high` nanoseconds cut to three decimal digits, for a text that people can read.
FrameTime draw_duration(Pcg32& random, std::int64_t low, std::int64_t high) {
    std::int64_t time = random.between(low, std::max(low, high));
    std::int64_t unit = 1;
    while (time / unit >= 1000) {
        unit *= 10;
    }
    time -= time % unit;
    return {std::clamp<std::int64_t>(time, 1, kLongestDuration)};
}

std::uint16_t draw_share(Pcg32& random, std::int64_t low_percent, std::int64_t high_percent) {
    return static_cast<std::uint16_t>(10 * random.between(low_percent, high_percent));
}

/// Whether neither rate is more than `factor` times the other.
bool within_factor(TickRate a, TickRate b, std::uint64_t factor) {
    const Wide left = Wide{a.numerator()} * b.denominator();
    const Wide right = Wide{b.numerator()} * a.denominator();
    return left <= right * factor && right <= left * factor;
}

Terms draw_terms(Pcg32& random, TickRate session_rate) {
    const Terms session{session_rate.numerator(), session_rate.denominator()};
    switch (random.below(4)) {
        case 0:  // beats slowly against the ticks
            return random.chance(1, 2)
                       ? Terms{session.numerator * 1001, session.denominator * 1000}
                       : Terms{session.numerator * 1000, session.denominator * 1001};
        case 1:
            return {draw(random, 24, 1000), 1};
        default:
            return kCommonRates[random.below(kCommonRates.size())];
    }
}

/// A rate of frames at most `factor` times faster or slower than the ticks.
TickRate draw_rate(Pcg32& random, TickRate session_rate, std::uint64_t factor) {
    const Terms terms = draw_terms(random, session_rate);
    const auto rate = TickRate::make(terms.numerator, terms.denominator);
    if (rate && within_factor(*rate, session_rate, factor)) {
        return clamp_generator_rate(*rate);
    }
    // A session far from any display's rate gets a simple multiple of its own.
    const std::uint64_t numerator = session_rate.numerator() * std::uint64_t{1 + random.below(4)};
    const std::uint64_t denominator =
        session_rate.denominator() * std::uint64_t{1 + random.below(4)};
    return clamp_generator_rate(TickRate::make(numerator, denominator).value_or(session_rate));
}

/// The length of one tick in nanoseconds, at least 1.
std::int64_t tick_length(TickRate rate) {
    return std::max<std::int64_t>(rate.time_of(1), 1);
}

void draw_bimodal(Pcg32& random, std::int64_t tick, ScheduleItem& item) {
    item.duration = draw_duration(random, tick / 8, tick);
    item.other_duration = draw_duration(random, tick, 8 * tick);
    item.per_mille = draw_share(random, 1, 50);
}

void draw_clock(Pcg32& random, std::int64_t tick, ScheduleItem& item) {
    const std::int64_t clock = kClocks[random.below(kClocks.size())];
    item.duration = {clock <= 4 * tick ? clock : std::max<std::int64_t>(tick / 4, 1)};
}

void draw_burst(Pcg32& random, ScheduleItem& item) {
    // With steady frames at most 4 times the tick rate: fewer than 4 × (1 + 10) frames a tick.
    item.every = draw(random, 20, 600);
    item.burst_frames = draw(random, 10, std::min(10 * item.every, 5000U));
    item.duration = {kTinyFrames[random.below(kTinyFrames.size())]};
}

void draw_parameters(Pcg32& random, std::int64_t tick, ScheduleItem& item) {
    const std::int64_t frame = tick_length(*item.rate);
    switch (item.kind) {
        case FrameKind::jitter:
            item.duration = draw_duration(random, frame / 50, frame + frame / 5);
            break;
        case FrameKind::vsync:
            item.per_mille = draw_share(random, 1, 50);
            break;
        case FrameKind::bimodal:
            draw_bimodal(random, tick, item);
            break;
        case FrameKind::hitches:
            item.duration = draw_duration(random, 2 * tick, 1200 * tick);
            item.every = draw(random, 10, 600);
            break;
        case FrameKind::quantised:
            draw_clock(random, tick, item);
            break;
        case FrameKind::stuck:
            item.per_mille = draw_share(random, 5, 60);
            break;
        case FrameKind::backwards:
            item.per_mille = draw_share(random, 1, 30);
            item.duration = draw_duration(random, frame / 10, frame);
            break;
        case FrameKind::burst:
            draw_burst(random, item);
            break;
        case FrameKind::frame:
        case FrameKind::steady:
        case FrameKind::edges:
        case FrameKind::mix:
        case FrameKind::capture:
            break;
    }
}

std::uint64_t rate_factor(FrameKind kind) {
    switch (kind) {
        case FrameKind::steady:
            return 40;
        case FrameKind::burst:
            return 4;
        default:
            return 10;
    }
}

/// A few equal frames of a length that loops have been known to mishandle.
ScheduleItem draw_odd_frames(Pcg32& random, std::int64_t tick) {
    const std::array lengths{std::int64_t{0}, std::int64_t{1}, tick / 2,
                             tick - 1,        tick + 1,        4 * tick};
    return {.count = draw(random, 1, 8), .duration = {lengths[random.below(lengths.size())]}};
}

/// Kinds of which a few frames go on about as far as their rate says.
constexpr std::array kForwards{FrameKind::steady, FrameKind::jitter, FrameKind::vsync,
                               FrameKind::quantised};

/// Where a reversible loop cuts frames, unless it is told otherwise.
std::int64_t longest_frame(std::int64_t tick) {
    return std::max<std::int64_t>(tick, 250'000'000);
}

/// How far the frames of an item go on in such a loop.
std::int64_t way_of(const ScheduleItem& item, TickRate session_rate) {
    const std::int64_t longest = longest_frame(tick_length(session_rate));
    FrameSource frames = Schedule::from_items({item})->frames(session_rate);
    std::int64_t way = 0;
    for (std::uint64_t i = 0; i < item.count; ++i) {
        way += std::min(frames.next().nanoseconds, longest);
    }
    return way;
}

}  // namespace

ScheduleItem draw_item(Pcg32& random, FrameKind kind, TickRate session_rate) {
    const TickRate session = clamp_generator_rate(session_rate);
    ScheduleItem item{.kind = kind, .count = kEndless, .rate = session};
    if (kind != FrameKind::edges) {  // the edges that matter are those of the session's own ticks
        item.rate = draw_rate(random, session, rate_factor(kind));
    }
    draw_parameters(random, tick_length(session), item);
    item.seed = random.next();
    return item;
}

std::vector<ScheduleItem> draw_rollback(Pcg32& random, std::uint32_t depth, TickRate session_rate) {
    const TickRate session = clamp_generator_rate(session_rate);
    const std::int64_t tick = tick_length(session);
    const std::int64_t ticks = random.between(2 * std::int64_t{depth}, 4 * std::int64_t{depth}) + 8;
    ScheduleItem forward = draw_item(random, kForwards[random.below(kForwards.size())], session);
    const std::int64_t frame = std::min(tick_length(*forward.rate), longest_frame(tick));
    forward.count = static_cast<std::uint64_t>(std::max<std::int64_t>(ticks * tick / frame, 1));
    std::int64_t way = way_of(forward, session);
    if (way < ticks * tick / 2) {  // a few short frames of a kind that has long ones too
        forward = {.kind = FrameKind::steady, .count = static_cast<std::uint64_t>(ticks)};
        way = way_of(forward, session);
    }
    const std::int64_t back = std::min(depth * tick + tick / 2, way / 3 * 2);
    const std::int64_t frames = (back - 1) / longest_frame(tick) + 1;
    const FrameTime each = draw_duration(random, back / frames, back / frames);
    const ScheduleItem backward{.count = static_cast<std::uint64_t>(frames),
                                .duration = {-each.nanoseconds}};
    return {forward, backward};
}

ScheduleItem draw_block(Pcg32& random, TickRate session_rate) {
    const auto kind =
        static_cast<FrameKind>(random.below(static_cast<std::uint32_t>(FrameKind::mix)));
    if (kind == FrameKind::frame) {
        return draw_odd_frames(random, tick_length(clamp_generator_rate(session_rate)));
    }
    ScheduleItem item = draw_item(random, kind, session_rate);
    item.count = draw(random, 1, 240);
    return item;
}

}  // namespace isotick::core
