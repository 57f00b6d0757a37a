// Prints what each loop does in 24 simulated hours, as the table of LOOPS.md. Nothing in it is
// declared: ticks are counted, lags measured, bits compared.
//
// Usage: isotick_loop_table [--check FILE]: ends with 1 if the table is not a part of FILE

#include "stepper.hpp"

#include <isotick/core/loops.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {
namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kDay = 86'400 * kNanosecondsPerSecond;
constexpr std::int64_t kMinute = 60 * kNanosecondsPerSecond;
constexpr std::string_view kGolden = "10000000/48537hz";  // ticks of 4.8537 ms

constexpr std::array<const char*, 6> kTableSchedules{
    "30hz", "60000/1001hz", "60hz", "75hz", "144hz", "jitter(60hz, 9ms, seed=1)"};
constexpr const char* kHitches = "hitches(60hz, 2s, every=50, seed=1)";  // for the bits alone
constexpr std::size_t kNominal = 2;
constexpr std::size_t kJittery = kTableSchedules.size() - 1;
constexpr auto kClock = static_cast<std::size_t>(LoopKind::clock);  // whose ticks are those due

// What one loop did under one schedule.
struct Run {
    explicit Run(TickRate tick_rate, const LoopOptions& options)
        : rate(tick_rate),
          loop(Loop::make(tick_rate, options).value()),
          shown_behind(info_of(options.kind).blends ? 1 : 0),
          // A nanosecond, a tick and the parts of an evenly divided frame are whole in these units.
          per_second(Wide{60} * kNanosecondsPerSecond * 720'720) {}

    // The time one step takes, or `last`'s where they differ.
    [[nodiscard]] Wide units(Fraction seconds) const {
        return static_cast<Wide>(seconds.numerator) *
               (per_second / static_cast<Wide>(seconds.denominator));
    }

    void advance(FrameTime frame_time) {
        const HostFrame frame = loop.advance(frame_time);
        fed += frame_time.nanoseconds + frame.wait.nanoseconds;
        if (frame.dt) {
            changed += units(frame.dt->last) +
                       static_cast<Wide>(frame.plan.ticks - 1) * units(frame.dt->each);
        } else {
            ticks += frame.plan.ticks;
        }
        ++frames_of[std::min<std::size_t>(frame.plan.ticks, 3)];
        if (fed < kMinute) {
            const double simulated =
                static_cast<double>(ticks) +
                static_cast<double>(changed) / static_cast<double>(per_second) * per_tick();
            const double time = static_cast<double>(fed) / kNanosecondsPerSecond * per_tick();
            worst_lag = std::max(worst_lag, time - (simulated - shown_behind + frame.plan.alpha));
        }
    }

    // Ticks per second.
    [[nodiscard]] double per_tick() const {
        return static_cast<double>(rate.numerator()) / rate.denominator();
    }

    // Simulated time less the time fed, in whole ticks: what is due is what is done, or the drift.
    [[nodiscard]] std::int64_t drift() const {
        const Wide done = static_cast<Wide>(ticks) + whole_ticks(changed, per_second);
        const Wide exact = whole_ticks(fed, kNanosecondsPerSecond);
        const bool is_due = rate.time_of(static_cast<std::uint64_t>(exact) + 1) <= fed;
        return static_cast<std::int64_t>(done - exact - (is_due && changed == 0 ? 1 : 0));
    }

    [[nodiscard]] Wide whole_ticks(Wide time, Wide units_per_second) const {
        return time * rate.numerator() / (units_per_second * rate.denominator());
    }

    TickRate rate;
    Loop loop;
    double shown_behind;  // interpolating shows the previous state at alpha 0
    Wide per_second;
    std::int64_t fed = 0;
    std::uint64_t ticks = 0;
    Wide changed = 0;  // simulated time, where dt changes
    double worst_lag = 0;
    std::uint64_t frames_off = 0;              // frames after which other ticks were done than due
    std::array<std::uint64_t, 4> frames_of{};  // frames of 0, 1, 2, 3 or more ticks
};

struct Row {
    std::string text;
    TickRate rate;
    std::vector<Run> runs;
};

std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (const LoopInfo& info : loops()) {
        rows.push_back({std::string(info.name), TickRate(), {}});
    }
    rows.push_back({"semi-fixed(split=even)", TickRate(), {}});
    rows.push_back({"substeps", TickRate::parse(kGolden).value(), {}});
    return rows;
}

std::string format(const char* form, double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), form, number);
    return text.data();
}

// `0`, `+1`, or percent where it is more than one in ten thousand.
std::string drift_text(const Run& run) {
    const std::int64_t drift = run.drift();
    const double share = static_cast<double>(drift) /
                         (static_cast<double>(run.fed) / kNanosecondsPerSecond * run.per_tick());
    if (std::abs(share) > 1e-4) {
        return format("%+.2f %%", share * 100);
    }
    return drift == 0 ? "0" : format("%+.0f", static_cast<double>(drift));
}

std::string per_cent(std::uint64_t part, std::uint64_t whole) {
    return format("%.0f", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::uint64_t frames_of(const Run& run) {
    return std::accumulate(run.frames_of.begin(), run.frames_of.end(), std::uint64_t{0});
}

// The shares of frames with 0, 1, 2, 3 or more ticks.
std::string histogram_text(const Run& run) {
    std::string text;
    for (const std::uint64_t each : run.frames_of) {
        text += (text.empty() ? "" : " / ") + per_cent(each, frames_of(run));
    }
    return text;
}

bool keeps_the_bits(const Row& row) {
    constexpr std::uint64_t kTicks = 3'600;
    const SimulationSetup setup = core_tests::setup_of(0);
    const auto session = core_tests::bot_inputs("spring", setup, kTicks);
    const auto nominal =
        core_tests::drive("spring", setup, session, core_tests::nominal_frames(kTicks)).ticks;
    const auto keeps_under = [&](const char* schedule) {
        return core_tests::drive_by("spring", setup, session,
                                    Loop::make(TickRate(), parse_loop(row.text).value()).value(),
                                    Schedule::parse(schedule).value().frames(TickRate()))
                   .ticks == nominal;
    };
    return std::ranges::all_of(kTableSchedules, keeps_under) && keeps_under(kHitches);
}

// Every loop sees the same frames, drawn once.
void run_a_day(std::vector<Row>& rows, std::string_view schedule) {
    for (Row& row : rows) {
        row.runs.emplace_back(row.rate, parse_loop(row.text).value());
    }
    FrameSource frames = Schedule::parse(schedule).value().frames(TickRate());
    for (std::int64_t left = kDay; left > 0;) {
        const FrameTime frame_time{std::min(frames.next().nanoseconds, left)};
        left -= frame_time.nanoseconds;
        for (Row& row : rows) {
            row.runs.back().advance(frame_time);
        }
        const std::uint64_t due = rows[kClock].runs.back().ticks;
        for (Row& row : rows) {
            row.runs.back().frames_off += row.runs.back().ticks == due ? 0U : 1U;
        }
    }
}

std::string row_text(const Row& row) {
    std::string text = "| `" + row.text + "`" + (row.rate == TickRate() ? "" : ", 4.8537 ms");
    double worst_lag = 0;
    for (const Run& run : row.runs) {
        text += " | " + drift_text(run);
        worst_lag = std::max(worst_lag, run.worst_lag);
    }
    const Run& nominal = row.runs[kNominal];
    text += " | " + (nominal.changed == 0 && row.rate == TickRate()
                         ? per_cent(nominal.frames_off, frames_of(nominal)) + " %"
                         : "");
    text += " | " + format("%.2f", worst_lag);
    text += " | " + histogram_text(row.runs[kJittery]);
    return text + " | " + (keeps_the_bits(row) ? "yes" : "no") + " |\n";
}

std::string table() {
    std::vector<Row> rows = all_rows();
    for (const char* schedule : kTableSchedules) {
        run_a_day(rows, schedule);
    }
    std::string text =
        "| loop | 30 Hz | 59.94 | 60 | 75 | 144 | jittery | off | worst lag | "
        "0 / 1 / 2 / 3+ ticks | same bits |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Row& row : rows) {
        text += row_text(row);
    }
    return text;
}

}  // namespace
}  // namespace isotick::core

int main(int count, char** arguments) {
    const bool checks = count == 3 && std::string_view(arguments[1]) == "--check";
    if (count != 1 && !checks) {
        std::cerr << "usage: isotick_loop_table [--check FILE]\n";
        return 2;
    }
    const std::string table = isotick::core::table();
    if (!checks) {
        std::cout << table;
        return 0;
    }
    std::ostringstream file;
    file << std::ifstream(arguments[2]).rdbuf();
    if (file.str().find(table) == std::string::npos) {
        std::cerr << arguments[2] << " has another table; scripts/loop-table prints this one:\n"
                  << table;
        return 1;
    }
    return 0;
}
