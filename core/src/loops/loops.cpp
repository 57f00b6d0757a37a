// The table of loops, their text form, and how each is created.

#include "engine.hpp"
#include "parameters.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace isotick::core {
namespace {

// parse_loop and to_string: `ranged(least=5ms, most=20ms)`.

constexpr std::size_t kMostTextBytes = 4096;

/// Words joined by hyphens: `semi-fixed`.
std::string read_name(TextCursor& cursor) {
    std::string name(cursor.read_word());
    while (!name.empty() && cursor.peek() == '-' && cursor.take('-')) {
        name += "-" + std::string(cursor.read_word());
    }
    return name;
}

Result<const LoopInfo*> read_kind(TextCursor& cursor) {
    const std::size_t start = cursor.position();
    const std::string name = read_name(cursor);
    const auto found = std::ranges::find(loops(), name, &LoopInfo::name);
    if (found == loops().end()) {
        cursor.go_back_to(start);
        return cursor.expected("a loop (" + joined(loops(), ", ", &LoopInfo::name) + ")");
    }
    return &*found;
}

/// The option whose name comes next, if the loop has it.
Result<const LoopWord*> read_option_name(TextCursor& cursor, const LoopInfo& info) {
    const std::size_t start = cursor.position();
    const std::string name = read_name(cursor);
    if (std::ranges::find(info.options, name) == info.options.end()) {
        cursor.go_back_to(start);
        return cursor.expected(info.options.empty()
                                   ? "')', for " + std::string(info.name) + " has no options"
                                   : "an option of " + std::string(info.name) + " (" +
                                         joined(info.options) + ")");
    }
    return &*std::ranges::find(loop_words(), name, &LoopWord::name);
}

Result<void> read_value(TextCursor& cursor, const LoopWord& option, LoopOptions& options) {
    ISOTICK_TRY(cursor.expect('='));
    const std::size_t value = cursor.position();
    ISOTICK_TRY(option.read(cursor, options));
    return TextCursor::refuse(option.problem_of(options), value);
}

/// `(name=value, …)`, after the opening bracket.
Result<void> read_options(TextCursor& cursor, const LoopInfo& info, LoopOptions& options) {
    std::vector<const LoopWord*> seen;
    while (!cursor.take(')')) {
        if (!seen.empty() && !cursor.take(',')) {
            return cursor.expected("',' or ')'");
        }
        const std::size_t start = cursor.position();
        ISOTICK_TRY_ASSIGN(const auto option, read_option_name(cursor, info));
        if (std::ranges::find(seen, option) != seen.end()) {
            return TextCursor::error_at(start, "expected each option once");
        }
        seen.push_back(option);
        ISOTICK_TRY(read_value(cursor, *option, options));
    }
    return {};
}

}  // namespace

Result<LoopOptions> parse_loop(std::string_view text) {
    if (text.size() > kMostTextBytes) {
        return TextCursor::error_at(kMostTextBytes, "expected at most 4096 bytes of text");
    }
    TextCursor cursor(text);
    ISOTICK_TRY_ASSIGN(const auto info, read_kind(cursor));
    LoopOptions options;
    options.kind = info->kind;
    if (cursor.take('(')) {
        ISOTICK_TRY(read_options(cursor, *info, options));
    }
    if (!cursor.at_end()) {
        return cursor.expected("the end");
    }
    return options;
}

std::string to_string(const LoopOptions& options) {
    std::string text;
    for (const LoopWord& each : loop_words()) {
        if (!each.is_equal(options, {})) {
            text += (text.empty() ? "(" : ", ") + std::string(each.name) + "=" + each.text(options);
        }
    }
    return std::string(info_of(options.kind).name) + text + (text.empty() ? "" : ")");
}

namespace {

/// The options that AccumulatorLoop has.
LoopOptions accumulator_options(const LoopOptions& options) {
    return {.longest_frame = options.longest_frame,
            .most_ticks = options.most_ticks,
            .time_scale = options.time_scale,
            .start_phase = options.start_phase};
}

Result<void> check_options(const LoopOptions& options) {
    if (static_cast<std::size_t>(options.kind) >= loops().size()) {
        return fail(ErrorCode::usage, "the loop's kind must be one of LoopKind");
    }
    const LoopInfo& info = info_of(options.kind);
    for (const LoopWord& each : loop_words()) {
        if (const auto problem = each.problem_of(options)) {
            return fail(ErrorCode::usage,
                        "the loop's " + std::string(each.name) + " must be " + *problem);
        }
        if (std::ranges::find(info.options, each.name) == info.options.end() &&
            !each.is_equal(options, {})) {
            return fail(ErrorCode::usage, "the loop " + std::string(info.name) + " has no option " +
                                              std::string(each.name));
        }
    }
    if (options.ramp && (options.debt != Debt::forgotten || options.reread.nanoseconds != 0)) {
        return fail(ErrorCode::usage, "a loop's ramp does not go with debt or reread");
    }
    if (options.ramp && (options.time_scale.numerator > ScaleRamp::kLargestTerm ||
                         options.time_scale.denominator > ScaleRamp::kLargestTerm)) {
        return fail(ErrorCode::limit, "with a ramp the time scale's terms must not exceed 1000000");
    }
    return {};
}

/// Null where AccumulatorLoop alone is enough.
EngineResult make_engine(TickRate rate, const LoopOptions& options) {
    switch (options.kind) {
        case LoopKind::accumulator:
        case LoopKind::threaded: {
            LoopOptions plain = accumulator_options(options);
            plain.kind = options.kind;
            return options == plain ? EngineResult(nullptr) : make_policy_loop(rate, options);
        }
        case LoopKind::clock:
        case LoopKind::canonical:
            return make_policy_loop(rate, options);
        case LoopKind::reversible:
            return make_reversible_loop(rate, options);
        case LoopKind::whole_ticks:
            return make_whole_ticks_loop(rate, options);
        case LoopKind::substeps:
        case LoopKind::fixed:
            return make_per_frame_loop(rate, options);
        case LoopKind::milliseconds:
            return make_millisecond_loop(rate, options);
        case LoopKind::accumulator_double:
        case LoopKind::clock_double:
        case LoopKind::turns:
            return make_double_loop(rate, options);
        case LoopKind::variable:
        case LoopKind::semi_fixed:
        case LoopKind::ranged:
            return make_changing_loop(rate, options);
        case LoopKind::growing:
            break;
    }
    return make_growing_loop(rate, options);
}

}  // namespace

Result<AccumulatorLoop> make_unlimited(TickRate rate, const LoopOptions& options) {
    LoopOptions unlimited = accumulator_options(options);
    unlimited.longest_frame.reset();
    unlimited.most_ticks.reset();
    return AccumulatorLoop::make(rate, unlimited);
}

Result<Loop> Loop::make(TickRate rate, const LoopOptions& options) {
    ISOTICK_TRY_ASSIGN(auto plain, AccumulatorLoop::make(rate, accumulator_options(options)));
    ISOTICK_TRY(check_options(options));
    return make_engine(rate, options).map([&](std::unique_ptr<Engine>&& engine) {
        return Loop(plain, std::move(engine));
    });
}

Loop::Loop(AccumulatorLoop plain, std::unique_ptr<Engine> engine)
    : plain_(plain), engine_(std::move(engine)) {}
Loop::Loop(const Loop& other)
    : plain_(other.plain_), engine_(other.engine_ ? other.engine_->clone() : nullptr) {}
Loop& Loop::operator=(const Loop& other) {
    return *this = Loop(other);
}
Loop::Loop(Loop&&) noexcept = default;
Loop& Loop::operator=(Loop&&) noexcept = default;
Loop::~Loop() = default;

double Loop::alpha_after(FrameTime later) const {
    return engine_ != nullptr ? engine_->alpha_after(later) : plain_.alpha_after(later);
}

const AccumulatorLoop* Loop::accumulator() const {
    return engine_ != nullptr ? engine_->accumulator() : &plain_;
}

Fraction Loop::stockpile() const {
    return engine_ != nullptr ? engine_->stockpile() : Fraction{0, 1};
}

// What is known about each loop. LOOPS.md tells it at length.

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

constexpr std::array kLoopInfos{
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
    return kLoopInfos;
}

const LoopInfo& info_of(LoopKind kind) {
    return kLoopInfos.at(static_cast<std::size_t>(kind));
}

bool varies_ticks_per_frame(const LoopOptions& options) {
    return info_of(options.kind).varies_ticks_per_frame && !options.display;
}

}  // namespace isotick::core
