#pragma once
// Which trials a verification runs, round by round.

#include "bursts.hpp"

#include <isotick/harness/verify.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace isotick::harness {

// Trials for as long as there is time.

/// Takes trials by number, those that begin in the middle and the others, in rounds of one kind.
class Rounds {
  public:
    using RunInFull = std::function<core::Result<void>(std::span<const std::uint64_t> numbers)>;

    /// What it is made of must outlive it. `at_a_time`: so many trials run side by side.
    Rounds(VerifyReport& report, Bursts& bursts, RunInFull run_in_full, std::uint64_t at_a_time)
        : report_(report),
          bursts_(bursts),
          run_in_full_(std::move(run_in_full)),
          batch_(at_a_time) {}

    /// The numbers of the bursts that come to about so many ticks.
    [[nodiscard]] std::vector<std::uint64_t> next_bursts(std::uint64_t ticks);

    /// Runs rounds until one fails or the time is over. `in_full`: how long a trial may take.
    /// `end`: number of the first trial that says nothing new; 0: there is none.
    [[nodiscard]] core::Result<void> run(std::chrono::milliseconds budget,
                                         std::chrono::nanoseconds in_full, std::uint64_t end);

    /// Processor time of all trials so far, but for those behind the first that failed.
    [[nodiscard]] std::chrono::nanoseconds cpu() const { return cpu_; }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] std::vector<std::uint64_t> next_in_full(std::uint64_t count);
    [[nodiscard]] bool is_turn_of_full(Clock::time_point now) const;
    core::Result<void> run_bursts();
    core::Result<void> run_some_in_full(Clock::time_point now);

    VerifyReport& report_;
    Bursts& bursts_;
    RunInFull run_in_full_;
    std::uint64_t end_number_ = 0;
    std::uint64_t next_burst_ = 1;
    std::uint64_t next_in_full_ = 1;
    std::uint64_t batch_;  // of trials in full
    std::chrono::nanoseconds cpu_{};
    Clock::time_point end_;
    Clock::duration in_full_{};
    Clock::duration spent_on_full_{};
    Clock::duration spent_on_bursts_{};
};

}  // namespace isotick::harness
