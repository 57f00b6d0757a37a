#include "parameters.hpp"

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
            return {static_cast<std::uint64_t>(random.between(24, 1000)), 1};
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

/// A few equal frames of a length that loops have been known to mishandle.
ScheduleItem draw_odd_frames(Draw draw) {
    const std::int64_t tick = draw.tick;
    const std::array lengths{std::int64_t{0}, std::int64_t{1}, tick / 2,
                             tick - 1,        tick + 1,        4 * tick};
    return {.count = draw.number(1, 8), .duration = {lengths[draw.random.below(lengths.size())]}};
}

}  // namespace

std::uint32_t Draw::number(std::int64_t low, std::int64_t high) {
    return static_cast<std::uint32_t>(random.between(low, high));
}

std::uint16_t Draw::share(std::int64_t low_percent, std::int64_t high_percent) {
    return static_cast<std::uint16_t>(10 * random.between(low_percent, high_percent));
}

FrameTime Draw::duration(std::int64_t low, std::int64_t high) {
    std::int64_t time = random.between(low, std::max(low, high));
    std::int64_t unit = 1;
    while (time / unit >= 1000) {
        unit *= 10;
    }
    time -= time % unit;
    return {std::clamp<std::int64_t>(time, 1, kLongestDuration)};
}

std::int64_t tick_length(TickRate rate) {
    return std::max<std::int64_t>(rate.time_of(1), 1);
}

FrameKind draw_kind(Pcg32& random, std::uint32_t Weights::*weight) {
    std::uint32_t sum = 0;
    for (const ItemKind* each : item_kinds()) {
        sum += each->weights.*weight;
    }
    std::uint32_t left = random.below(sum);
    std::size_t kind = 0;
    while (left >= item_kinds()[kind]->weights.*weight) {
        left -= item_kinds()[kind++]->weights.*weight;
    }
    return static_cast<FrameKind>(kind);
}

ScheduleItem draw_item(Pcg32& random, FrameKind kind, TickRate session_rate) {
    const TickRate session = clamp_generator_rate(session_rate);
    ScheduleItem item{.kind = kind, .count = kEndless, .rate = session};
    const ItemKind& drawn = kind_of(item);
    if (drawn.rate_factor > 0) {
        item.rate = draw_rate(random, session, drawn.rate_factor);
    }
    if (Draw draw{random, tick_length(session)}; drawn.draw != nullptr) {
        drawn.draw(draw, item);
    }
    item.seed = random.next();
    return item;
}

ScheduleItem draw_block(Pcg32& random, TickRate session_rate) {
    const FrameKind kind = draw_kind(random, &Weights::block);
    Draw draw{random, tick_length(clamp_generator_rate(session_rate))};
    if (kind == FrameKind::frame) {
        return draw_odd_frames(draw);
    }
    ScheduleItem item = draw_item(random, kind, session_rate);
    item.count = draw.number(1, 240);
    return item;
}

Result<void> read_rate_or_nominal(TextCursor& cursor, ScheduleItem& item) {
    const std::size_t start = cursor.position();
    if (cursor.read_word() == "nominal") {
        item.rate.reset();
        return {};
    }
    cursor.go_back_to(start);
    return store(cursor.read_rate(), item.rate);
}

std::string rate_text(const ScheduleItem& item) {
    return item.rate ? to_string(*item.rate) : "nominal";
}

Problem rate_problem(const ScheduleItem& item) {
    return unless(!item.rate || clamp_generator_rate(*item.rate) == *item.rate,
                  "a rate from 1/1000000hz to 1000000hz");
}

TickRate clamp_generator_rate(TickRate rate) {
    constexpr std::uint64_t kMost = kMostGeneratorRate;
    if (rate.numerator() > kMost * rate.denominator()) {
        return *TickRate::make(kMost, 1);
    }
    if (rate.denominator() > kMost * rate.numerator()) {
        return *TickRate::make(1, kMost);
    }
    return rate;
}

}  // namespace isotick::core
