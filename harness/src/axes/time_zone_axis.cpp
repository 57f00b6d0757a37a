// The axis `time-zone`: the variable TZ, in the form of POSIX, which needs no files.

#include "axis.hpp"

#include <algorithm>
#include <array>

namespace isotick::harness {
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

// From twelve hours west of Greenwich to fourteen east, also where quarters of hours count.
std::string draw_time_zone(core::Pcg32& random) {
    constexpr int kMostEast = 14 * 4;
    constexpr int kQuarters = kMostEast + 12 * 4 + 1;
    const int east = kMostEast - static_cast<int>(random.below(kQuarters));
    const int quarters = east < 0 ? -east : east;
    const int minutes = quarters % 4 * 15;
    return std::string("XYZ") + (east < 0 ? "+" : "-") + std::to_string(quarters / 4) +
           (minutes == 0 ? "" : ":" + std::to_string(minutes));
}

std::vector<std::string> plainer_time_zone(std::string_view value) {
    return value == "UTC0" ? std::vector<std::string>() : std::vector<std::string>{"UTC0"};
}

void time_zone_to_process(std::string_view value, ProcessSetup& process) {
    process.variables.emplace_back("TZ", value);
}

constexpr std::array<std::string_view, 2> kTimeZoneElsewhere{"UTC0", "XYZ-5:45"};

constexpr std::array<std::string_view, 1> kTimeZoneBrings{"environment-size"};

}  // namespace

extern const Axis kTimeZoneAxis;
const Axis kTimeZoneAxis{.name = "time-zone",
                         .varies = "the time zone (the variable TZ)",
                         .check = check_time_zone,
                         .draw = draw_time_zone,
                         .by_default = true,
                         .plainer = plainer_time_zone,
                         .to_process = time_zone_to_process,
                         .elsewhere = kTimeZoneElsewhere,
                         .stands_for = "the time zone",
                         .brings = kTimeZoneBrings};

}  // namespace isotick::harness
