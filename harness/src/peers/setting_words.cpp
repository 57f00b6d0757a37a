#include "setting_words.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <array>

namespace isotick::harness {
namespace {

using core::FrameTime;
using core::Problem;
using core::Result;
using core::TextCursor;
using core::unless;

constexpr std::array kRateUnits{core::Unit{"gbit", 1'000'000'000, 9},
                                core::Unit{"mbit", 1'000'000, 6}, core::Unit{"kbit", 1'000, 3},
                                core::Unit{"bit", 1, 0}};
constexpr std::array kSizeUnits{core::Unit{"mb", 1'000'000, 6}, core::Unit{"kb", 1'000, 3},
                                core::Unit{"b", 1, 0}};
constexpr core::QuantityWords kRates{kRateUnits, "a rate such as 1.5mbit, or unlimited",
                                     "a unit (bit, kbit, mbit or gbit, per second)", "whole bits"};
constexpr core::QuantityWords kSizes{kSizeUnits, "a size such as 64kb", "a unit (b, kb or mb)",
                                     "whole bytes"};

constexpr std::int64_t kWordMillisecond = 1'000'000;

bool is_delay(std::int64_t duration_ns) {
    return duration_ns >= 0 && duration_ns <= kLongestDelay;
}

/// The spread behind `±`: a duration, or a whole number of milliseconds.
Result<std::int64_t> read_spread(TextCursor& cursor) {
    constexpr std::uint64_t kMost = kLongestDelay / kWordMillisecond;
    const std::size_t start = cursor.position();
    const std::size_t digits = cursor.read_digits().size();
    const bool ends =
        cursor.position() != start + digits || cursor.at_end() || cursor.peek() == ')';
    cursor.go_back_to(start);
    if (digits > 0 && ends) {
        ISOTICK_TRY_ASSIGN(const auto number, cursor.read_number("milliseconds", 0, kMost));
        return static_cast<std::int64_t>(number) * kWordMillisecond;
    }
    return cursor.read_duration().map([](FrameTime read) { return read.nanoseconds; });
}

Result<void> read_delay(TextCursor& cursor, LinkSettings& settings) {
    ISOTICK_TRY_ASSIGN(const auto delay, cursor.read_duration());
    settings.delay_ns = delay.nanoseconds;
    settings.jitter_ns = 0;
    const std::size_t start = cursor.position();
    const bool has_sign = cursor.take('\xC2') && cursor.take('\xB1');
    if (!has_sign) {
        cursor.go_back_to(start);
    }
    if (!has_sign && cursor.take('+')) {
        ISOTICK_TRY(cursor.expect('-'));
    } else if (!has_sign) {
        return {};
    }
    return store(read_spread(cursor), settings.jitter_ns);
}

std::string delay_text(const LinkSettings& settings) {
    const std::string delay = core::to_string(FrameTime{settings.delay_ns});
    return settings.jitter_ns == 0 ? delay
                                   : delay + "±" + core::to_string(FrameTime{settings.jitter_ns});
}

Problem delay_problem(const LinkSettings& settings) {
    if (!is_delay(settings.delay_ns)) {
        return "a delay from 0ms to 60s";
    }
    return unless(settings.jitter_ns >= 0 && settings.jitter_ns <= settings.delay_ns,
                  "a spread from 0ms to the delay");
}

void copy_delay(const LinkSettings& from, LinkSettings& to) {
    to.delay_ns = from.delay_ns;
    to.jitter_ns = from.jitter_ns;
}

constexpr core::Limits<std::uint32_t> kShares{0, 1000, "a share from 0% to 100%"};
constexpr core::Limits<std::uint64_t> kBursts{1, kLongestBurst, "packets in a row from 1 to 1000",
                                              "packets in a row"};

Result<void> read_reordering(TextCursor& cursor, LinkSettings& settings) {
    ISOTICK_TRY(store(cursor.read_share(), settings.reordering_per_mille));
    if (!cursor.take('+')) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto hold_back, cursor.read_duration());
    settings.hold_back_ns = hold_back.nanoseconds;
    return {};
}

std::string reordering_text(const LinkSettings& settings) {
    const std::string share = core::share_text(settings.reordering_per_mille);
    return settings.hold_back_ns == LinkSettings().hold_back_ns
               ? share
               : share + "+" + core::to_string(FrameTime{settings.hold_back_ns});
}

Problem reordering_problem(const LinkSettings& settings) {
    if (auto problem =
            core::limits_problem<&LinkSettings::reordering_per_mille, kShares>(settings)) {
        return problem;
    }
    return unless(settings.hold_back_ns >= 2 && is_delay(settings.hold_back_ns),
                  "packets held back by 2ns to 60s");
}

void copy_reordering(const LinkSettings& from, LinkSettings& to) {
    to.reordering_per_mille = from.reordering_per_mille;
    to.hold_back_ns = from.hold_back_ns;
}

Result<void> read_rate(TextCursor& cursor, LinkSettings& settings) {
    const std::size_t start = cursor.position();
    settings.rate = 0;
    if (cursor.read_word() == "unlimited") {
        return {};
    }
    cursor.go_back_to(start);
    ISOTICK_TRY_ASSIGN(const auto rate, cursor.read_quantity(kRates));
    // Written as a number, 0 is nonsense rather than no limit.
    settings.rate = rate.value_or(0) == 0 ? kHighestRate + 1 : *rate;
    return {};
}

std::string rate_text(const LinkSettings& settings) {
    return settings.rate == 0 ? "unlimited" : core::quantity_text(settings.rate, kRateUnits);
}

Problem rate_problem(const LinkSettings& settings) {
    return unless(
        settings.rate == 0 || (settings.rate >= kLowestRate && settings.rate <= kHighestRate),
        "a rate from 1kbit to 100gbit, or unlimited");
}

Result<void> read_queue(TextCursor& cursor, LinkSettings& settings) {
    cursor.go_back_to(cursor.position());  // behind white space
    ISOTICK_TRY_ASSIGN(const auto queue, cursor.read_quantity(kSizes));
    settings.queue = queue.value_or(kMostQueue + 1);
    return {};
}

std::string queue_text(const LinkSettings& settings) {
    return core::quantity_text(settings.queue, kSizeUnits);
}

constexpr core::Limits<std::uint64_t> kQueues{kLeastQueue, kMostQueue, "a size from 1kb to 16mb"};

/// The path, in quotes or without them up to a blank or the parenthesis. The caller finds the
/// trace.
Result<void> read_trace(TextCursor& cursor, LinkSettings& settings) {
    ISOTICK_TRY(cursor.expect('('));
    ISOTICK_TRY_ASSIGN(settings.trace.path,
                       cursor.peek() == '"' ? cursor.read_path() : cursor.read_bare_path());
    return cursor.expect(')');
}

std::string trace_text(const LinkSettings& settings) {
    return "(" + core::quoted(settings.trace.path) + ")";
}

Problem trace_problem(const LinkSettings& settings) {
    return unless((settings.trace.trace != nullptr) == !settings.trace.path.empty() &&
                      settings.trace.path.size() <= core::kMostPathBytes,
                  "a trace and its path");
}

constexpr std::array kWords{
    SettingWord{"delay", read_delay, delay_text, copy_delay, delay_problem},
    core::share_word<&LinkSettings::loss_per_mille, kShares>("loss"),
    core::number_word<&LinkSettings::burst, kBursts>("burst"),
    core::share_word<&LinkSettings::duplication_per_mille, kShares>("dup"),
    SettingWord{"reorder", read_reordering, reordering_text, copy_reordering, reordering_problem},
    SettingWord{"rate", read_rate, rate_text, core::copy_member<&LinkSettings::rate>, rate_problem},
    SettingWord{"queue", read_queue, queue_text, core::copy_member<&LinkSettings::queue>,
                core::limits_problem<&LinkSettings::queue, kQueues>},
    SettingWord{"trace", read_trace, trace_text, core::copy_member<&LinkSettings::trace>,
                trace_problem}};
static_assert(kWords.size() == static_cast<std::size_t>(LinkSetting::trace) + 1);

}  // namespace

std::span<const SettingWord> setting_words() {
    return kWords;
}

void copy_settings(const LinkSettings& from, std::uint32_t given, LinkSettings& to) {
    for (const SettingWord& each : kWords) {
        if ((given & bit_of(each)) != 0) {
            each.copy(from, to);
        }
    }
}

}  // namespace isotick::harness
