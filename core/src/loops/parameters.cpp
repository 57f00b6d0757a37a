#include "parameters.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>

namespace isotick::core {
namespace {

constexpr std::uint64_t kMostTicksApart = 1'000'000'000;

std::string text_of(const Fraction& value) {
    return std::to_string(value.numerator) + "/" + std::to_string(value.denominator);
}

template <class Value>
std::string text_of(const std::optional<Value>& value) {
    return value ? to_string(*value) : "";
}

Result<void> read_fraction(TextCursor& cursor, Fraction& fraction) {
    constexpr const char* kWhat = "a fraction such as 1/4, its terms";
    fraction.denominator = 1;
    ISOTICK_TRY_ASSIGN(fraction.numerator, cursor.read_number(kWhat, 0, TickRate::kLargestTerm));
    if (cursor.take('/')) {
        ISOTICK_TRY_ASSIGN(fraction.denominator,
                           cursor.read_number(kWhat, 1, TickRate::kLargestTerm));
    }
    return {};
}

Result<void> expect_word(TextCursor& cursor, std::string_view word) {
    const std::size_t start = cursor.position();
    if (cursor.read_word() != word) {
        cursor.go_back_to(start);
        return cursor.expected("'" + std::string(word) + "'");
    }
    return {};
}

bool take_none(TextCursor& cursor) {
    const std::size_t start = cursor.position();
    if (cursor.read_word() == "none") {
        return true;
    }
    cursor.go_back_to(start);
    return false;
}

/// The words for an enum's values, in their order.
using Words = std::span<const std::string_view>;
constexpr std::array<std::string_view, 3> kDebts{"forgotten", "kept", "reset"};
constexpr std::array<std::string_view, 2> kNegatives{"zero", "repaid"};
constexpr std::array<std::string_view, 3> kViews{"interpolate", "extrapolate", "current"};
constexpr std::array<std::string_view, 2> kRenders{"always", "stepped"};
constexpr std::array<std::string_view, 2> kSplits{"remainder", "even"};

template <class Enum>
Result<void> read_enum(TextCursor& cursor, Words words, Enum& value) {
    const std::size_t start = cursor.position();
    const auto found = std::ranges::find(words, cursor.read_word());
    if (found == words.end()) {
        cursor.go_back_to(start);
        std::string choices;
        for (const std::string_view each : words) {
            choices += (choices.empty() ? "" : ", ") + std::string(each);
        }
        return cursor.expected("one of " + choices);
    }
    value = static_cast<Enum>(found - words.begin());
    return {};
}

template <class Enum>
Problem enum_problem(Words words, Enum value) {
    return unless(static_cast<std::size_t>(value) < words.size(), "one of its values");
}

Result<void> read_ramp(TextCursor& cursor, LoopOptions& options) {
    ScaleRamp ramp;
    ISOTICK_TRY(read_fraction(cursor, ramp.to));
    ISOTICK_TRY(expect_word(cursor, "over"));
    ISOTICK_TRY_ASSIGN(ramp.over, cursor.read_duration());
    options.ramp = ramp;
    return {};
}

bool is_fraction(const Fraction& value, std::uint64_t largest) {
    return value.denominator > 0 && value.denominator <= largest && value.numerator <= largest;
}

Problem ramp_problem(const LoopOptions& options) {
    const auto& ramp = options.ramp;
    return unless(
        !ramp || (is_fraction(ramp->to, ScaleRamp::kLargestTerm) && ramp->over.nanoseconds > 0 &&
                  ramp->over.nanoseconds <= ScaleRamp::kLongest),
        "a fraction whose terms are at most 1000000 over a duration from 1ns to 1000s");
}

Problem above_zero(const std::optional<FrameTime>& time) {
    return unless(!time || time->nanoseconds > 0, "a duration above zero");
}

Problem not_negative_time(FrameTime time) {
    return unless(time.nanoseconds >= 0, "a duration that is not negative");
}

constexpr LoopParameter kLongestFrame{
    "longest-frame",
    [](const LoopOptions& options) {
        return options.longest_frame ? to_string(*options.longest_frame) : "none";
    },
    [](TextCursor& cursor, LoopOptions& options) {
        options.longest_frame.reset();
        return take_none(cursor) ? Result<void>()
                                 : store(cursor.read_duration(), options.longest_frame);
    },
    [](const LoopOptions& options) { return above_zero(options.longest_frame); }};

constexpr LoopParameter kMostTicks{
    "most-ticks",
    [](const LoopOptions& options) {
        return options.most_ticks ? std::to_string(*options.most_ticks) : "";
    },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_number("a number of ticks", 1), options.most_ticks);
    },
    [](const LoopOptions& options) {
        return unless(options.most_ticks != 0, "a number of ticks above zero");
    }};

constexpr LoopParameter kTimeScale{
    "time-scale", [](const LoopOptions& options) { return text_of(options.time_scale); },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_fraction(cursor, options.time_scale);
    },
    [](const LoopOptions& options) {
        return unless(is_fraction(options.time_scale, TickRate::kLargestTerm),
                      "a fraction whose terms are at most 1000000000");
    }};

constexpr LoopParameter kStartPhase{
    "start-phase", [](const LoopOptions& options) { return text_of(options.start_phase); },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_fraction(cursor, options.start_phase);
    },
    [](const LoopOptions& options) {
        const Fraction& phase = options.start_phase;
        return unless(
            is_fraction(phase, TickRate::kLargestTerm) && phase.numerator <= phase.denominator,
            "a fraction from 0/1 to 1/1");
    }};

constexpr LoopParameter kDebt{
    "debt",
    [](const LoopOptions& options) { return std::string(kDebts[std::size_t(options.debt)]); },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_enum(cursor, kDebts, options.debt);
    },
    [](const LoopOptions& options) { return enum_problem(kDebts, options.debt); }};

constexpr LoopParameter kNegative{
    "negative",
    [](const LoopOptions& options) {
        return std::string(kNegatives[std::size_t(options.negative)]);
    },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_enum(cursor, kNegatives, options.negative);
    },
    [](const LoopOptions& options) { return enum_problem(kNegatives, options.negative); }};

constexpr LoopParameter kEveryTicks{
    "every", [](const LoopOptions& options) { return std::to_string(options.every); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_number("a number of ticks", 1, kMostTicksApart), options.every);
    },
    [](const LoopOptions& options) {
        return unless(options.every >= 1 && options.every <= kMostTicksApart,
                      "a number of ticks from 1 to 1000000000");
    }};

constexpr LoopParameter kRamp{"ramp",
                              [](const LoopOptions& options) {
                                  return options.ramp ? text_of(options.ramp->to) + " over " +
                                                            to_string(options.ramp->over)
                                                      : "";
                              },
                              read_ramp, ramp_problem};

constexpr LoopParameter kShortestFrame{
    "shortest-frame", [](const LoopOptions& options) { return to_string(options.shortest_frame); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_duration(), options.shortest_frame);
    },
    [](const LoopOptions& options) { return not_negative_time(options.shortest_frame); }};

constexpr LoopParameter kReread{
    "reread", [](const LoopOptions& options) { return to_string(options.reread); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_duration(), options.reread);
    },
    [](const LoopOptions& options) { return not_negative_time(options.reread); }};

constexpr LoopParameter kView{
    "view",
    [](const LoopOptions& options) { return std::string(kViews[std::size_t(options.view)]); },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_enum(cursor, kViews, options.view);
    },
    [](const LoopOptions& options) { return enum_problem(kViews, options.view); }};

constexpr LoopParameter kRender{
    "render",
    [](const LoopOptions& options) { return std::string(kRenders[std::size_t(options.render)]); },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_enum(cursor, kRenders, options.render);
    },
    [](const LoopOptions& options) { return enum_problem(kRenders, options.render); }};

constexpr LoopParameter kSplit{
    "split",
    [](const LoopOptions& options) { return std::string(kSplits[std::size_t(options.split)]); },
    [](TextCursor& cursor, LoopOptions& options) {
        return read_enum(cursor, kSplits, options.split);
    },
    [](const LoopOptions& options) { return enum_problem(kSplits, options.split); }};

constexpr LoopParameter kLeastStep{
    "least", [](const LoopOptions& options) { return text_of(options.least_dt); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_duration(), options.least_dt);
    },
    [](const LoopOptions& options) { return above_zero(options.least_dt); }};

constexpr LoopParameter kMostStep{
    "most", [](const LoopOptions& options) { return text_of(options.most_dt); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_duration(), options.most_dt);
    },
    [](const LoopOptions& options) { return above_zero(options.most_dt); }};

constexpr LoopParameter kSteps{
    "steps", [](const LoopOptions& options) { return std::to_string(options.steps); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_number("a number of steps", 1), options.steps);
    },
    [](const LoopOptions& options) {
        return unless(options.steps > 0, "a number of steps above zero");
    }};

constexpr LoopParameter kDisplay{
    "display", [](const LoopOptions& options) { return text_of(options.display); },
    [](TextCursor& cursor, LoopOptions& options) {
        return store(cursor.read_rate(), options.display);
    },
    [](const LoopOptions&) { return Problem(); }};

constexpr std::array kParameters{kLongestFrame, kMostTicks, kDebt,     kTimeScale,     kStartPhase,
                                 kEveryTicks,   kRamp,      kNegative, kShortestFrame, kReread,
                                 kView,         kRender,    kSplit,    kLeastStep,     kMostStep,
                                 kSteps,        kDisplay};

}  // namespace

std::span<const LoopParameter> loop_parameters() {
    return kParameters;
}

bool is_default(const LoopParameter& parameter, const LoopOptions& options) {
    return parameter.text(options) == parameter.text(LoopOptions());
}

}  // namespace isotick::core
