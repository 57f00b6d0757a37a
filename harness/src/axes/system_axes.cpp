// Axes of what the system answers, through the library that workers load.

#include "../system/process.hpp"
#include "axis.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#if defined(__x86_64__) && defined(__linux__)
#include <csignal>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#endif

namespace isotick::harness {

// Values of an axis that has two settings, each with a number, of which one may be left out:
// `fill 165`, `order 7`, `fill 165 order 7`.

struct TwoSettings {
    std::string_view first;
    std::uint32_t most_first;
    std::string_view second;
    std::uint32_t most_second;

    [[nodiscard]] core::Result<void> check(std::string_view value) const;
    [[nodiscard]] std::string draw(core::Pcg32& random) const;
    /// One of them alone.
    [[nodiscard]] std::vector<std::string> plainer(std::string_view value) const;
    /// 0: left out. Of a value that check has let pass.
    [[nodiscard]] std::tuple<std::uint64_t, std::uint64_t> values(std::string_view value) const;

  private:
    [[nodiscard]] std::string text(std::uint64_t first_value, std::uint64_t second_value) const;
};

namespace {

// The number behind `name`, which is taken off the front; 0 where something else stands there.
std::uint64_t take_setting(std::string_view& text, std::string_view name, std::uint32_t most) {
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with(' ')) {
        return 0;
    }
    const std::string_view rest = text.substr(name.size() + 1);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const auto number = parse_count(rest.substr(0, end), most);
    if (!number) {
        return 0;
    }
    text = rest.substr(std::min(end + 1, rest.size()));
    return *number;
}

}  // namespace

std::tuple<std::uint64_t, std::uint64_t> TwoSettings::values(std::string_view value) const {
    const std::uint64_t first_value = take_setting(value, first, most_first);
    const std::uint64_t second_value = take_setting(value, second, most_second);
    return {first_value, second_value};
}

std::string TwoSettings::text(std::uint64_t first_value, std::uint64_t second_value) const {
    std::string written;
    if (first_value != 0) {
        written = std::string(first) + " " + std::to_string(first_value);
    }
    if (second_value != 0) {
        written +=
            (written.empty() ? "" : " ") + std::string(second) + " " + std::to_string(second_value);
    }
    return written;
}

core::Result<void> TwoSettings::check(std::string_view value) const {
    const auto [first_value, second_value] = values(value);
    if (!value.empty() && text(first_value, second_value) == value) {
        return {};
    }
    return core::fail(
        core::ErrorCode::usage,
        "expected " + std::string(first) + " and a number up to " + std::to_string(most_first) +
            ", " + std::string(second) + " and a number up to " + std::to_string(most_second) +
            ", or both, as in '" + text(1, 2) + "', not '" + std::string(value) + "'");
}

std::string TwoSettings::draw(core::Pcg32& random) const {
    const std::uint64_t first_value = 1 + random.below(most_first);
    return text(first_value, 1 + random.below(most_second));
}

std::vector<std::string> TwoSettings::plainer(std::string_view value) const {
    const auto [first_value, second_value] = values(value);
    if (first_value == 0 || second_value == 0) {
        return {};
    }
    return {text(first_value, 0), text(0, second_value)};
}

// The axis `clock`: the date that a trial begins at, and the pace of all clocks:
// `2031-05-07T11:22:33`, `2031-05-07T11:22:33 at 150%`. At 0% only looking at a clock moves it on,
// so that it reads the same in each run.

namespace {

constexpr std::string_view kAt = " at ";
constexpr std::uint64_t kUsualPace = 100;
constexpr std::uint64_t kMostPace = 10'000;

struct FakeClock {
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

std::optional<FakeClock> parse_clock(std::string_view text) {
    const auto date = take_date(text);
    if (!date || text.empty()) {
        return date ? std::optional(FakeClock{*date, kUsualPace}) : std::nullopt;
    }
    if (!text.starts_with(kAt) || !text.ends_with('%')) {
        return std::nullopt;
    }
    text.remove_prefix(kAt.size());
    text.remove_suffix(1);
    const auto pace = parse_count(text, kMostPace);
    return pace ? std::optional(FakeClock{*date, *pace}) : std::nullopt;
}

core::Result<void> check_clock(std::string_view value) {
    return parse_clock(value) ? core::Result<void>()
                              : core::fail(core::ErrorCode::usage,
                                           "expected a date and perhaps a pace, as in "
                                           "2031-05-07T11:22:33 at 150%, not '" +
                                               std::string(value) + "'");
}

std::string date_text(std::int64_t date) {
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
    const std::string date = date_text(kFirst + random.below(kSpan));
    return fmt::format("{} at {}%", date,
                       kPaces[random.below(static_cast<std::uint32_t>(kPaces.size()))]);
}

std::vector<std::string> plainer_clock(std::string_view value) {
    const std::size_t at = value.find(kAt);
    return at == value.npos ? std::vector<std::string>()
                            : std::vector{std::string(value.substr(0, at))};
}

void clock_to_system(const Given& value, preload::Settings& settings) {
    const FakeClock clock = parse_clock(value.text).value_or(FakeClock());
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
                      .can_start_mid_trial = true,
                      .look_at =
                          "code that asks for the time: count ticks instead, or record it "
                          "as an input",
                      .elsewhere = kClockElsewhere,
                      .stands_for = "the clock"};

// The axis `containers`: a seed of how many buckets unordered containers have.

namespace {

constexpr std::array<std::string_view, 2> kContainersElsewhere{"1", "2"};

}  // namespace

extern const Axis kContainersAxis;
const Axis kContainersAxis{
    .name = "containers",
    .varies = "the order of elements in unordered containers",
    .numbers = kSeeds,
    .by_default = true,

    .source = Source::containers,
    .to_system = [](const Given& value,
                    preload::Settings& settings) { settings.containers = value.number; },
    .can_start_mid_trial = true,
    .look_at =
        "loops over std::unordered_map, std::unordered_set and their like: sort first, or "
        "keep another container",
    .elsewhere = kContainersElsewhere,
    .stands_for = "the order of elements in libstdc++.so's unordered containers"};

// The axis `directory-order`: a seed of the order in which the entries of folders are read.

namespace {

constexpr std::array<std::string_view, 2> kDirectoryOrderElsewhere{"1", "2"};

}  // namespace

extern const Axis kDirectoryOrderAxis;
const Axis kDirectoryOrderAxis{
    .name = "directory-order",
    .varies = "the order in which the entries of folders are read",
    .numbers = kSeeds,
    .by_default = true,

    .source = Source::directories,
    .to_system = [](const Given& value,
                    preload::Settings& settings) { settings.directory_order = value.number; },
    .can_start_mid_trial = true,
    .look_at = "code that lists a folder: sort what it finds",
    .elsewhere = kDirectoryOrderElsewhere,
    .stands_for = "the order of files in folders"};

// The axis `heap`: `fill 165`, a number from which glibc's malloc makes the bytes that it fills
// what it hands out and takes back with; `order 7`, a seed of where blocks lie; or both.

namespace {

constexpr TwoSettings kHeapSettings{"fill", 255, "order", 9999};

core::Result<void> check_heap(std::string_view value) {
    return kHeapSettings.check(value);
}

std::string draw_heap(core::Pcg32& random) {
    return kHeapSettings.draw(random);
}

std::vector<std::string> plainer_heap(std::string_view value) {
    return kHeapSettings.plainer(value);
}

void heap_to_system(const Given& value, preload::Settings& settings) {
    std::tie(settings.heap_fill, settings.heap_order) = kHeapSettings.values(value.text);
}

constexpr std::array kHeapMeanings{
    Meaning{"fill", "the contents of fresh heap memory",
            "a member or a buffer on the heap that is read before it is set, or after it is freed"},
    Meaning{"order", "where blocks lie on the heap",
            "addresses that are used as keys, hashed, or sorted by"}};

// One fill byte that makes negative numbers, and one that makes positive ones.
constexpr std::array<std::string_view, 6> kHeapElsewhere{"fill 165", "fill 85", "order 1",
                                                         "order 2",  "order 3", "order 4"};

}  // namespace

extern const Axis kHeapAxis;
const Axis kHeapAxis{.name = "heap",
                     .varies = "what fresh memory holds, and where blocks lie",
                     .check = check_heap,
                     .draw = draw_heap,
                     .by_default = true,
                     .plainer = plainer_heap,
                     .to_system = heap_to_system,
                     .can_start_mid_trial = true,
                     .meanings = kHeapMeanings,
                     .elsewhere = kHeapElsewhere,
                     .stands_for = "uninitialized heap memory and the order of addresses",
                     .of_memory = true};

// The axis `host-name`: the number in the names of the machine and of the user.

namespace {

constexpr std::array<std::string_view, 1> kHostNameElsewhere{"1"};

}  // namespace

extern const Axis kHostNameAxis;
const Axis kHostNameAxis{
    .name = "host-name",
    .varies = "the names of the machine and of the user",
    .numbers = kSeeds,
    .by_default = true,

    .source = Source::names,
    .to_system = [](const Given& value,
                    preload::Settings& settings) { settings.names = value.number; },
    .can_start_mid_trial = true,
    .look_at = "code that asks for the name of the machine or the user",
    .elsewhere = kHostNameElsewhere,
    .stands_for = "the names of machine and user"};

// The axis `random`: a seed of the random numbers that the system hands out, and of the generators
// of the C library, as other users of the process may have left them.

namespace {

constexpr std::array<std::string_view, 2> kRandomElsewhere{"1", "2"};

}  // namespace

extern const Axis kRandomAxis;
const Axis kRandomAxis{
    .name = "random",
    .varies = "random numbers of the system and of the C library",
    .numbers = kSeeds,
    .by_default = true,
    .by_chance = true,
    .source = Source::chance,
    .to_system = [](const Given& value,
                    preload::Settings& settings) { settings.chance = value.number; },
    .can_start_mid_trial = true,
    .look_at =
        "rand, std::random_device, getrandom and their like: draw from a generator that is "
        "part of the state and seeded from the session",
    .elsewhere = kRandomElsewhere,
    .stands_for = "random numbers of the system"};

// The axis `threads`: `cores 3`, how many processors a simulation sees; `yields 7`, a seed of where
// threads wait a little when they meet others; or both.

namespace {

constexpr TwoSettings kThreadsSettings{"cores", 64, "yields", 9999};

core::Result<void> check_threads(std::string_view value) {
    return kThreadsSettings.check(value);
}

std::string draw_threads(core::Pcg32& random) {
    return kThreadsSettings.draw(random);
}

std::vector<std::string> plainer_threads(std::string_view value) {
    return kThreadsSettings.plainer(value);
}

void threads_to_system(const Given& value, preload::Settings& settings) {
    std::tie(settings.cores, settings.yields) = kThreadsSettings.values(value.text);
}

constexpr std::array kThreadsMeanings{
    Meaning{"cores", "how many processors the simulation sees",
            "work that is split by that number: its results must not depend on how it is split"},
    Meaning{"yields", "how threads interleave",
            "data that threads share without a lock, or results that are merged in the order in "
            "which threads end"}};

constexpr std::array<std::string_view, 3> kThreadsElsewhere{"cores 1", "cores 7", "yields 1"};

}  // namespace

extern const Axis kThreadsAxis;
const Axis kThreadsAxis{.name = "threads",
                        .varies = "how many processors are seen, and how threads interleave",
                        .check = check_threads,
                        .draw = draw_threads,
                        .plainer = plainer_threads,
                        .to_system = threads_to_system,
                        .meanings = kThreadsMeanings,
                        .elsewhere = kThreadsElsewhere,
                        .stands_for = "the number of processors and the timing of threads"};

// The axis `timestamp-counter`: a seed of what the instructions rdtsc and rdtscp read. A trial with
// it is the only one that notices that a simulation reads the counter at all.

namespace {

#if defined(__x86_64__) && defined(__linux__)

// Some virtual machines answer the instruction all the same.
bool is_refused_when_told() {
    auto copy = copy_this_process();
    if (copy && copy->id() == 0) {
        const rlimit none{};
        setrlimit(RLIMIT_CORE, &none);
        std::signal(SIGSEGV, SIG_DFL);
        sigset_t none_blocked;
        sigemptyset(&none_blocked);
        sigprocmask(SIG_SETMASK, &none_blocked, nullptr);
        if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0) {
            [[maybe_unused]] const std::uint64_t counter = __builtin_ia32_rdtsc();
        }
        _exit(0);
    }
    return copy && copy->wait().signal == SIGSEGV;
}

#endif

std::string why_no_timestamp_counter(const Given&) {
#if defined(__x86_64__) && defined(__linux__)
    int mode = 0;
    if (prctl(PR_GET_TSC, &mode) != 0) {
        return "the system does not permit it";
    }
    static const bool is_refused = is_refused_when_told();
    return is_refused ? "" : "the processor answers it even where it is told to refuse";
#else
    return "this processor has none, or others read it unnoticed";
#endif
}

constexpr std::array<std::string_view, 1> kTimestampCounterElsewhere{"1"};

}  // namespace

extern const Axis kTimestampCounterAxis;
const Axis kTimestampCounterAxis{
    .name = "timestamp-counter",
    .varies = "the processor's timestamp counter",
    .numbers = kSeeds,
    .by_chance = true,
    .why_not_here = why_no_timestamp_counter,
    .source = Source::counter,
    .source_seen_only_with_it = true,
    .to_system = [](const Given& value,
                    preload::Settings& settings) { settings.counter = value.number; },
    .can_start_mid_trial = true,
    .look_at = "code that reads the counter (rdtsc): count ticks instead",
    .elsewhere = kTimestampCounterElsewhere,
    .stands_for = "the processor's timestamp counter"};

}  // namespace isotick::harness
