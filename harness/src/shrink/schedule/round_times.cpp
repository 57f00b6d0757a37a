#include "../search/patience.hpp"
#include "schedule_search.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace isotick::harness {
namespace {

using core::FrameTime;

constexpr int kMostTrials = 8;  // for each run
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kManySteps = 128;  // of a millisecond: too many to halve

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
    const std::int64_t rest = value % unit;
    return rest > 0 ? value - rest + unit : value - rest;  // towards zero where negative
}

/// One run whose time is to be rounded.
class RoundedRun {
  public:
    RoundedRun(ScheduleSearch& search, std::size_t run)
        : search_(search),
          run_(run),
          runs_(search.best()),
          time_(runs_[run].time->nanoseconds),
          nominal_(std::max<std::int64_t>(search.loop().rate.time_of(1), 1)) {
        for (std::size_t i = 0; i < run; ++i) {
            before_ += runs_[i].count;
        }
    }

    void round() {
        if (time_ > nominal_) {
            round_long();
        } else {
            round_short();
        }
    }

  private:
    bool fails(std::int64_t time) {
        if (time == time_) {
            return true;
        }
        if (trials_ == kMostTrials) {
            return false;
        }
        ++trials_;
        FrameRuns changed;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            append(changed, i == run_ ? FrameRun{FrameTime{time}, runs_[i].count} : runs_[i]);
        }
        return search_.fails(changed, {before_}, ScheduleSearch::End::padded);
    }

    bool first_that_fails(const std::vector<std::int64_t>& times) {
        return std::any_of(times.begin(), times.end(),
                           [this](std::int64_t time) { return fails(time); });
    }

    // The shortest whole number of milliseconds, or tens of them.
    void round_long() {
        const auto& longest = search_.loop().options.longest_frame;
        const std::int64_t most = longest ? std::min(time_, longest->nanoseconds) : time_;
        const bool far = (most - nominal_) / kMillisecond > kManySteps;
        const std::int64_t unit = far ? 10 * kMillisecond : kMillisecond;
        const std::int64_t high = rounded_up(most, unit);
        const std::int64_t low = rounded_up(nominal_ + 1, unit) - unit;
        if (fails(high)) {
            halve(low, high, unit);
        } else if (time_ > most) {
            round_beyond(most);
        } else {
            const std::int64_t ticks = (time_ + nominal_ / 2) / nominal_;
            first_that_fails({high - unit,
                              search_.loop().rate.time_of(static_cast<std::uint64_t>(ticks)),
                              rounded_up(most, unit / 10), rounded_up(most, unit / 100)});
        }
    }

    // The loop cuts it to `longest`, and yet it has to be longer: to two digits.
    void round_beyond(std::int64_t longest) {
        std::int64_t unit = 10 * kMillisecond;
        while (time_ / unit >= 100) {
            unit *= 10;
        }
        const std::int64_t high = rounded_up(time_, unit);
        if (fails(high)) {
            halve(rounded_up(longest, unit) - unit, high, unit);
        } else {
            first_that_fails(
                {high - unit, rounded_up(time_, unit / 10), rounded_up(time_, unit / 100)});
        }
    }

    // `high` fails. Both are whole numbers of units, and of those between the shortest is wanted.
    void halve(std::int64_t low, std::int64_t high, std::int64_t unit) {
        while (high - low > unit) {
            const std::int64_t middle = low + (high - low) / 2 / unit * unit;
            (fails(middle) ? high : low) = middle;
        }
    }

    void round_short() {
        if (time_ < 0) {
            first_that_fails({0, -kMillisecond, rounded_up(time_, kMillisecond),
                              rounded_up(time_, kMillisecond) - kMillisecond});
            return;
        }
        const std::int64_t up = rounded_up(time_, kMillisecond);
        first_that_fails({0, up < nominal_ ? up : time_ / kMillisecond * kMillisecond,
                          time_ / kMillisecond * kMillisecond, rounded_up(time_, kMillisecond / 10),
                          rounded_up(time_, kMillisecond / 100)});
    }

    ScheduleSearch& search_;
    std::size_t run_;
    FrameRuns runs_;
    std::int64_t time_;
    std::int64_t nominal_;
    std::uint64_t before_ = 0;
    int trials_ = 0;
};

}  // namespace

void round_times(ScheduleSearch& search) {
    Patience patience;
    for (std::size_t run = 0; run < search.best().size() && patience.left(); ++run) {
        const FrameRuns runs = search.best();
        if (runs[run].time) {
            RoundedRun(search, run).round();
            patience.tried(search.best() != runs);
            run -= search.best().size() < runs.size() && run > 0 ? 1U : 0U;  // it has joined one
        }
    }
}

}  // namespace isotick::harness
