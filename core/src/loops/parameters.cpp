#include "parameters.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

namespace isotick::core {
namespace {

std::string fraction_text(const Fraction& value) {
    return std::to_string(value.numerator) + "/" + std::to_string(value.denominator);
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

/// `kept`: one of `words`.
template <auto Member, const auto& words>
constexpr WordOf<Member> enum_word(std::string_view name) {
    return {name,
            [](TextCursor& cursor, LoopOptions& options) -> Result<void> {
                const std::size_t start = cursor.position();
                const auto found = std::ranges::find(words, cursor.read_word());
                if (found == words.end()) {
                    cursor.go_back_to(start);
                    return cursor.expected("one of " + joined(words));
                }
                using Enum = std::remove_reference_t<decltype(options.*Member)>;
                options.*Member = static_cast<Enum>(found - words.begin());
                return {};
            },
            [](const LoopOptions& options) {
                return std::string(words[static_cast<std::size_t>(options.*Member)]);
            },
            copy_member<Member>,
            [](const LoopOptions& options) {
                return unless(static_cast<std::size_t>(options.*Member) < words.size(),
                              "one of its values");
            }};
}

bool is_fraction(const Fraction& value, std::uint64_t largest) {
    return value.denominator > 0 && value.denominator <= largest && value.numerator <= largest;
}

/// `1/4`
template <Fraction LoopOptions::*Member>
constexpr LoopWord fraction_word(std::string_view name, Problem (*problem)(const LoopOptions&)) {
    return {name,
            [](TextCursor& cursor, LoopOptions& options) {
                return read_fraction(cursor, options.*Member);
            },
            [](const LoopOptions& options) { return fraction_text(options.*Member); },
            copy_member<Member>, problem};
}

Result<void> read_ramp(TextCursor& cursor, LoopOptions& options) {
    ScaleRamp ramp;
    ISOTICK_TRY(read_fraction(cursor, ramp.to));
    ISOTICK_TRY(expect_word(cursor, "over"));
    ISOTICK_TRY_ASSIGN(ramp.over, cursor.read_duration());
    options.ramp = ramp;
    return {};
}

std::string ramp_text(const LoopOptions& options) {
    const auto& ramp = options.ramp;
    return ramp ? fraction_text(ramp->to) + " over " + to_string(ramp->over) : "";
}

Problem ramp_problem(const LoopOptions& options) {
    const auto& ramp = options.ramp;
    return unless(
        !ramp || (is_fraction(ramp->to, ScaleRamp::kLargestTerm) && ramp->over.nanoseconds > 0 &&
                  ramp->over.nanoseconds <= ScaleRamp::kLongest),
        "a fraction whose terms are at most 1000000 over a duration from 1ns to 1000s");
}

Result<void> read_longest_frame(TextCursor& cursor, LoopOptions& options) {
    const std::size_t start = cursor.position();
    options.longest_frame.reset();
    if (cursor.read_word() == "none") {
        return {};
    }
    cursor.go_back_to(start);
    return store(cursor.read_duration(), options.longest_frame);
}

Problem start_phase_problem(const LoopOptions& options) {
    const Fraction& phase = options.start_phase;
    return unless(
        is_fraction(phase, TickRate::kLargestTerm) && phase.numerator <= phase.denominator,
        "a fraction from 0/1 to 1/1");
}

Problem time_scale_problem(const LoopOptions& options) {
    return unless(is_fraction(options.time_scale, TickRate::kLargestTerm),
                  "a fraction whose terms are at most 1000000000");
}

constexpr Limits<FrameTime> kAboveZero{{1}, {INT64_MAX}, "a duration above zero"};
constexpr Limits<FrameTime> kNotNegative{{0}, {INT64_MAX}, "a duration that is not negative"};
constexpr Limits<std::uint64_t> kTickLimit{1, UINT64_MAX, "a number of ticks above zero",
                                           "a number of ticks"};
constexpr Limits<std::uint64_t> kTicksApart{
    1, 1'000'000'000, "a number of ticks from 1 to 1000000000", "a number of ticks"};
constexpr Limits<std::uint64_t> kStepLimit{1, UINT64_MAX, "a number of steps above zero",
                                           "a number of steps"};

/// The names of an enum's values, in their order.
constexpr std::array<std::string_view, 3> kDebts{"forgotten", "kept", "reset"};
constexpr std::array<std::string_view, 2> kNegatives{"zero", "repaid"};
constexpr std::array<std::string_view, 3> kViews{"interpolate", "extrapolate", "current"};
constexpr std::array<std::string_view, 2> kRenders{"always", "stepped"};
constexpr std::array<std::string_view, 2> kSplits{"remainder", "even"};

constexpr std::array kWords{
    LoopWord{"longest-frame", read_longest_frame,
             [](const LoopOptions& options) {
                 return options.longest_frame ? to_string(*options.longest_frame) : "none";
             },
             copy_member<&LoopOptions::longest_frame>,
             limits_problem<&LoopOptions::longest_frame, kAboveZero>},
    number_word<&LoopOptions::most_ticks, kTickLimit>("most-ticks"),
    enum_word<&LoopOptions::debt, kDebts>("debt"),
    fraction_word<&LoopOptions::time_scale>("time-scale", time_scale_problem),
    fraction_word<&LoopOptions::start_phase>("start-phase", start_phase_problem),
    number_word<&LoopOptions::every, kTicksApart>("every"),
    LoopWord{"ramp", read_ramp, ramp_text, copy_member<&LoopOptions::ramp>, ramp_problem},
    enum_word<&LoopOptions::negative, kNegatives>("negative"),
    duration_word<&LoopOptions::shortest_frame, kNotNegative>("shortest-frame"),
    duration_word<&LoopOptions::reread, kNotNegative>("reread"),
    enum_word<&LoopOptions::view, kViews>("view"),
    enum_word<&LoopOptions::render, kRenders>("render"),
    enum_word<&LoopOptions::split, kSplits>("split"),
    duration_word<&LoopOptions::least_dt, kAboveZero>("least"),
    duration_word<&LoopOptions::most_dt, kAboveZero>("most"),
    number_word<&LoopOptions::steps, kStepLimit>("steps"),
    LoopWord{"display",
             [](TextCursor& cursor, LoopOptions& options) {
                 return store(cursor.read_rate(), options.display);
             },
             member_text<&LoopOptions::display>, copy_member<&LoopOptions::display>}};

}  // namespace

std::span<const LoopWord> loop_words() {
    return kWords;
}

}  // namespace isotick::core
