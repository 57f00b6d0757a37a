// Axes that change the process before the simulation is created.

#include "../system/process.hpp"
#include "axis.hpp"
#include "elsewhere.hpp"

#include <algorithm>
#include <array>
#include <unistd.h>

#include <sys/resource.h>

namespace isotick::harness {
namespace {

// The axis `cpu`: processors that lack what this one has, as far as glibc chooses by it among its
// own functions. Those of libm round otherwise where they fuse multiplications and additions, so
// that sin, exp and pow have other last bits on another machine. Code that was compiled for this
// processor, or asks it by itself, notices nothing.

// The plainest first: what lacks least.
constexpr std::array<std::string_view, 3> kCpuWords{"no-avx512", "no-fma", "baseline"};

// What each lacks, in the words of glibc.cpu.hwcaps; those of glibc before 2.33 too.
constexpr std::array<std::string_view, 3> kCpuLacks{
    "-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,-AVX512VL_Usable",
    "-FMA,-FMA4,-AVX2,-FMA_Usable,-FMA4_Usable,-AVX2_Usable",
    "-AVX512F,-AVX512VL,-AVX512BW,-AVX512F_Usable,-AVX512VL_Usable,-FMA,-FMA4,-AVX2,-FMA_Usable,"
    "-FMA4_Usable,-AVX2_Usable,-AVX,-AVX_Usable,-SSE4_2,-SSE4_1,-SSSE3,-ERMS"};

std::string why_no_cpu([[maybe_unused]] const Given& value) {
#if defined(__x86_64__) && defined(__GLIBC__)
    __builtin_cpu_init();
    const bool has_it = value.text == "no-avx512" ? __builtin_cpu_supports("avx512f") != 0
                        : value.text == "no-fma"  ? __builtin_cpu_supports("fma") != 0
                                                  : __builtin_cpu_supports("sse4.1") != 0;
    return has_it ? "" : "this processor lacks that anyway";
#else
    return "glibc does not choose by processor here";
#endif
}

std::vector<std::string> plainer_cpu(std::string_view value) {
    std::vector<std::string> values;
    for (const std::string_view* word = kCpuWords.data(); *word != value; ++word) {
        values.emplace_back(*word);
    }
    return values;
}

constexpr std::array<std::string_view, 2> kCpuElsewhere{"no-fma", "baseline"};

}  // namespace

extern const Axis kCpuAxis;
const Axis kCpuAxis{.name = "cpu",
                    .varies = "the processor that glibc chooses its functions for",
                    .words = kCpuWords,
                    .why_not_here = why_no_cpu,
                    .plainer = plainer_cpu,
                    .to_process =
                        [](const Given& value, ProcessSetup& process) {
                            process.tune("glibc.cpu.hwcaps", kCpuLacks[value.word]);
                        },
                    .look_at =
                        "sin, cos, exp, pow and their like, whose last bits differ from "
                        "processor to processor: use your own, or tables",
                    .elsewhere = kCpuElsewhere,
                    .stands_for = "libm's code for other processors"};

// The axis `environment-size`: bytes of padding in the environment of the trial's process. They
// move the stack, and change what a program sees that copies or counts its environment.

namespace {

// A single variable can hold 128 KiB on Linux.
constexpr std::uint64_t kMostBytes = 65536;

// A program is started with so many bytes of arguments and environment at most.
std::string why_no_environment_size(const Given& value) {
    constexpr std::size_t kOthers = 16384;  // what workers are started with besides
    std::size_t size = kOthers + value.number;
    for (const std::string& variable : own_environment()) {
        size += variable.size() + 1 + sizeof(char*);
    }
    const long most = sysconf(_SC_ARG_MAX);
    return most < 0 || size <= static_cast<std::size_t>(most)
               ? ""
               : "the system takes no larger environment (ulimit -s)";
}

void environment_size_to_process(const Given& value, ProcessSetup& process) {
    process.variables.emplace_back("ISOTICK_PADDING", std::string(value.number, 'x'));
}

}  // namespace

namespace {

constexpr std::array<std::string_view, 2> kEnvironmentSizeElsewhere{"64", "1001"};

}  // namespace

extern const Axis kEnvironmentSizeAxis;
const Axis kEnvironmentSizeAxis{.name = "environment-size",
                                .varies = "bytes of padding in the environment of the process",
                                .numbers = Numbers{.most = kMostBytes, .plainer_by = 2},
                                .by_default = true,
                                .why_not_here = why_no_environment_size,
                                .to_process = environment_size_to_process,
                                .look_at =
                                    "a local variable that is read before it is set, an "
                                    "address that is used as a value, or code that goes "
                                    "through its environment",
                                .elsewhere = kEnvironmentSizeElsewhere,
                                .stands_for = "the size of the environment, which moves the stack"};

// The axis `addresses`: `fixed`, without the random places of address space layout randomization,
// as under a debugger; `upward`, mappings that grow towards higher addresses, each behind the last,
// as the system places them for programs with an unlimited stack. Random places, which other
// processes have at each start, are what every trial in a process of its own has anyway.

namespace {

constexpr std::array<std::string_view, 2> kAddressesWords{"fixed", "upward"};  // elsewhere, too
constexpr std::array kAddressesBits{kFixedAddresses, kLegacyAddresses};

// Fixed addresses are one of the places that random ones come to.
std::string draw_addresses(core::Pcg32&) {
    return std::string(kAddressesWords.back());
}

// ThreadSanitizer and MemorySanitizer want a layout of their own.
std::string why_no_addresses([[maybe_unused]] const Given& value) {
#if defined(__SANITIZE_THREAD__)
    return "ThreadSanitizer has a layout of its own";
#else
    return LentPersonality(kAddressesBits[value.word]).is_lent() ? ""
                                                                 : "the system does not permit it";
#endif
}

}  // namespace

extern const Axis kAddressesAxis;
const Axis kAddressesAxis{
    .name = "addresses",
    .varies = "where the system places memory (Linux)",
    .words = kAddressesWords,
    .draw = draw_addresses,
    .by_default = true,
    .why_not_here = why_no_addresses,
    .to_process = [](const Given& value,
                     ProcessSetup& process) { process.personality |= kAddressesBits[value.word]; },
    .look_at =
        "addresses that are used as keys, hashed, or sorted by, or uninitialized memory that held "
        "one",
    .elsewhere = kAddressesWords,
    .stands_for = "where the system places memory",
    .of_memory = true};

// The axis `descriptors`: so many more files are open, so that those that the simulation opens have
// other numbers.

namespace {

// The simulation wants some, too.
std::string why_no_descriptors(const Given&) {
    constexpr rlim_t kPlenty = 512;
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= kPlenty
               ? ""
               : "fewer than " + std::to_string(kPlenty) + " files may be open (ulimit -n)";
}

}  // namespace

extern const Axis kDescriptorsAxis;
const Axis kDescriptorsAxis{.name = "descriptors",
                            .varies = "how many more files are open",
                            .numbers = Numbers{.most = 200, .plainer_by = 2},
                            .by_default = true,
                            .why_not_here = why_no_descriptors,
                            .to_calls =
                                [](const Given& value, CallSetup& calls) {
                                    calls.descriptors = static_cast<std::uint32_t>(value.number);
                                },
                            .look_at = "the number of a file descriptor that is used as a value",
                            .stands_for = "how many files are open"};

// The axis `environment-bare`: of the environment only what the loader, sanitizers and the like go
// by, as under `env -i`, cron or a service. It is not drawn by default: programs that need HOME or
// DISPLAY fail, and say so.

namespace {

constexpr std::array<std::string_view, 1> kEnvironmentBareWords{"yes"};
constexpr std::array<std::string_view, 1> kEnvironmentBareBrings{"environment-size"};

}  // namespace

extern const Axis kEnvironmentBareAxis;
const Axis kEnvironmentBareAxis{
    .name = "environment-bare",
    .varies = "an environment without all that is not needed to start",
    .words = kEnvironmentBareWords,
    .to_process = [](const Given&, ProcessSetup& process) { process.bare_environment = true; },
    .look_at = "getenv, and libraries that read variables such as HOME, LANG or PATH",
    .stands_for = "variables of the environment",
    .brings = kEnvironmentBareBrings};

// The axis `locale`: the host has called setlocale, as those do whose user interface speaks the
// user's language. Drawn is a locale of our own with a decimal comma: few machines have another. If
// one with a decimal point changes the state as well, the comma is not the cause.

namespace {

core::Result<void> check_locale(std::string_view value) {
    constexpr std::size_t kLongest = 64;
    return !value.empty() && value.size() <= kLongest &&
                   value.find_first_of("/;= ") == std::string_view::npos
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage,
                            "expected comma, point, or a locale such as de_DE.UTF-8, not '" +
                                std::string(value) + "'");
}

std::string draw_locale(core::Pcg32&) {
    return std::string(kCommaLocale);
}

constexpr std::array kLocaleMeanings{
    Meaning{kPointLocale, "the variables of the environment that name a locale",
            "getenv, and what depends on how many variables there are, or on what setlocale "
            "allocates; not the decimal comma, since this locale has a point"}};

// What setlocale allocates, and variables that other programs are to find it by.
constexpr std::array<std::string_view, 4> kLocaleBrings{"environment-size", "environment-bare=yes",
                                                        "heap", "locale=point"};

}  // namespace

extern const Axis kLocaleAxis;
const Axis kLocaleAxis{
    .name = "locale",
    .varies = "the locale, which decides on a decimal comma",
    .check = check_locale,
    .draw = draw_locale,
    .by_default = true,
    .why_not_here = [](const Given& value) { return why_no_locale(value.text); },
    .to_calls = [](const Given& value, CallSetup& calls) { calls.locale = value.text; },
    .look_at =
        "strtod, scanf, printf, std::stod and streams, which expect the locale's decimal "
        "separator: use std::from_chars and std::to_chars",
    .meanings = kLocaleMeanings,
    .brings = kLocaleBrings};

// The axis `working-directory`: `/`, where services and launchers start programs. It is not drawn
// by default: a simulation that opens its own files by relative paths then fails, and says so.

namespace {

constexpr std::array<std::string_view, 1> kWorkingDirectoryWords{"/"};

std::string why_no_working_directory(const Given& value) {
    const auto folder = OtherFolder::make(std::string(value.text));
    return folder ? "" : folder.error().message;
}

}  // namespace

extern const Axis kWorkingDirectoryAxis;
const Axis kWorkingDirectoryAxis{
    .name = "working-directory",
    .varies = "the working directory of the simulation",
    .words = kWorkingDirectoryWords,
    .not_with = kCalledFromAfar,
    .why_not_here = why_no_working_directory,
    .to_calls = [](const Given& value, CallSetup& calls) { calls.working_directory = value.text; },
    .look_at = "files that are opened by relative paths"};

// The axis `time-zone`: the variable TZ. Drawn are names of time zones where this machine has their
// files: some runtimes, such as Node's, know names alone and ignore the form of POSIX, `XYZ-5:45`,
// which needs no files and is drawn elsewhere.

namespace {

constexpr std::size_t kTimeZoneLongest = 64;

core::Result<void> check_time_zone(std::string_view value) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("<>+-:,./_").find(c) != std::string_view::npos;
    };
    const bool fits = !value.empty() && value.size() <= kTimeZoneLongest;
    return fits && std::ranges::all_of(value, is_plain)
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage,
                            "expected a time zone such as UTC0, IST-5:30 or Europe/Paris, not '" +
                                std::string(value) + "'");
}

// Far from each other, and where halves and quarters of hours count.
constexpr std::array<std::string_view, 8> kTimeZoneNames{
    "Asia/Kathmandu",      "America/St_Johns",  "Pacific/Kiritimati", "Pacific/Pago_Pago",
    "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Tokyo",         "Pacific/Marquesas"};

bool is_time_zone_here(std::string_view name) {
    return access(("/usr/share/zoneinfo/" + std::string(name)).c_str(), R_OK) == 0;
}

// From twelve hours west of Greenwich to fourteen east, also where quarters of hours count.
std::string draw_time_zone(core::Pcg32& random) {
    const std::string_view name = kTimeZoneNames[random.below(kTimeZoneNames.size())];
    if (is_time_zone_here(name)) {
        return std::string(name);
    }
    constexpr int kMostEast = 14 * 4;
    constexpr int kQuarters = kMostEast + 12 * 4 + 1;
    const int east = kMostEast - static_cast<int>(random.below(kQuarters));
    const int quarters = east < 0 ? -east : east;
    const int minutes = quarters % 4 * 15;
    return std::string("XYZ") + (east < 0 ? "+" : "-") + std::to_string(quarters / 4) +
           (minutes == 0 ? "" : ":" + std::to_string(minutes));
}

// UTC is a name that all runtimes know, with and without files.
std::vector<std::string> plainer_time_zone(std::string_view value) {
    return value.starts_with("UTC") ? std::vector<std::string>() : std::vector<std::string>{"UTC"};
}

constexpr std::array<std::string_view, 3> kTimeZoneElsewhere{"UTC", "XYZ-5:45", "Asia/Kathmandu"};

constexpr std::array<std::string_view, 2> kTimeZoneBrings{"environment-size",
                                                          "environment-bare=yes"};

}  // namespace

extern const Axis kTimeZoneAxis;
const Axis kTimeZoneAxis{
    .name = "time-zone",
    .varies = "the time zone (the variable TZ)",
    .check = check_time_zone,
    .draw = draw_time_zone,
    .by_default = true,
    .plainer = plainer_time_zone,
    .to_process = [](const Given& value,
                     ProcessSetup& process) { process.variables.emplace_back("TZ", value.text); },
    .look_at = "localtime, mktime and their like: use UTC, or count ticks",
    .elsewhere = kTimeZoneElsewhere,
    .stands_for = "the time zone",
    .brings = kTimeZoneBrings};

}  // namespace isotick::harness
