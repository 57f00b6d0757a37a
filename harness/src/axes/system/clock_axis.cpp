// The axis `clock`: the date that a trial begins at, and the pace of all clocks:
// `2031-05-07T11:22:33`, `2031-05-07T11:22:33 at 150%`. At 0% only looking at a clock moves it on,
// so that it reads the same in each run.

#include "../axis.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

constexpr std::string_view kAt = " at ";
constexpr std::uint64_t kUsualPace = 100;
constexpr std::uint64_t kMostPace = 10'000;

struct Clock {
    std::int64_t date = 0;
    std::uint64_t pace = kUsualPace;
};

// Takes a number of so many digits, and what follows it.
std::optional<int> take_clock(std::string_view& text, std::size_t digits, std::string_view behind) {
    int number = 0;
    const char* const end = text.data() + std::min(digits, text.size());
    const auto [read, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || read != end || number < 0) {
        return std::nullopt;
    }
    text.remove_prefix(digits);
    if (!text.starts_with(behind)) {
        return std::nullopt;
    }
    text.remove_prefix(behind.size());
    return number;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
    const auto year = take_clock(text, 4, "-");
    const auto month = year ? take_clock(text, 2, "-") : std::nullopt;
    const auto day = month ? take_clock(text, 2, "T") : std::nullopt;
    const auto hour = day ? take_clock(text, 2, ":") : std::nullopt;
    const auto minute = hour ? take_clock(text, 2, ":") : std::nullopt;
    const auto second = minute ? take_clock(text, 2, "") : std::nullopt;
    if (!second || *hour > 23 || *minute > 59 || *second > 59) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date(std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)});
    const std::chrono::seconds time =
        std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
    const std::chrono::sys_seconds moment = std::chrono::sys_days(date) + time;
    const std::int64_t since = moment.time_since_epoch().count();
    return date.ok() && since > 0 ? std::optional(since) : std::nullopt;
}

std::optional<Clock> parse_clock(std::string_view text) {
    const auto date = take_date(text);
    if (!date || text.empty()) {
        return date ? std::optional(Clock{*date, kUsualPace}) : std::nullopt;
    }
    if (!text.starts_with(kAt) || !text.ends_with('%')) {
        return std::nullopt;
    }
    text.remove_prefix(kAt.size());
    text.remove_suffix(1);
    const auto pace = parse_count(text, kMostPace);
    return pace ? std::optional(Clock{*date, *pace}) : std::nullopt;
}

core::Result<void> check_clock(std::string_view value) {
    return parse_clock(value) ? core::Result<void>()
                              : core::fail(core::ErrorCode::usage,
                                           "expected a date and perhaps a pace, as in "
                                           "2031-05-07T11:22:33 at 150%, not '" +
                                               std::string(value) + "'");
}

std::string clock_text(std::int64_t date) {
    const std::chrono::sys_seconds moment{std::chrono::seconds(date)};
    const auto day = std::chrono::floor<std::chrono::days>(moment);
    const std::chrono::year_month_day ymd(day);
    const std::chrono::hh_mm_ss time(moment - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", int(ymd.year()),
                       unsigned(ymd.month()), unsigned(ymd.day()), time.hours().count(),
                       time.minutes().count(), time.seconds().count());
}

// Between 2001 and 2038, at another pace: as on a slow machine, as behind a debugger.
std::string draw_clock(core::Pcg32& random) {
    constexpr std::int64_t kFirst = 1'000'000'000;
    constexpr std::uint32_t kSpan = 1'147'000'000;
    constexpr std::array kPaces{50, 200, 500, 2'000, 5'000};
    const std::string date = clock_text(kFirst + random.below(kSpan));
    return fmt::format("{} at {}%", date,
                       kPaces[random.below(static_cast<std::uint32_t>(kPaces.size()))]);
}

std::vector<std::string> plainer_clock(std::string_view value) {
    const std::size_t at = value.find(kAt);
    return at == value.npos ? std::vector<std::string>()
                            : std::vector{std::string(value.substr(0, at))};
}

void clock_to_system(std::string_view value, preload::Settings& settings) {
    const Clock clock = parse_clock(value).value_or(Clock());
    settings.date = clock.date;
    settings.pace = clock.pace;
}

constexpr std::array<std::string_view, 2> kClockElsewhere{"2031-05-07T11:22:33 at 0%",
                                                          "2005-01-31T23:59:58 at 400%"};

}  // namespace

extern const Axis kClockAxis;
const Axis kClockAxis{.name = "clock",
                      .varies = "the date, and the pace of all clocks",
                      .check = check_clock,
                      .draw = draw_clock,
                      .by_default = true,
                      .by_chance = true,
                      .plainer = plainer_clock,
                      .source = Source::clock,
                      .to_system = clock_to_system,
                      .begins_on_the_way = true,
                      .elsewhere = kClockElsewhere,
                      .stands_for = "the clock"};

}  // namespace isotick::harness
