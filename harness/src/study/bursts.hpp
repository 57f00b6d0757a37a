#pragma once
// Which bursts a verification runs, and what its trials add up to.

#include <isotick/harness/verify.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

// What the trials of one verification add up to.

[[nodiscard]] bool failed(const TrialResult& result);

/// Adds the statistics of one trial, or of several, to those of all; `is_first`: there are none.
void add_statistics(const TrialStatistics& one, bool is_first, TrialStatistics& all);

/// What is left of sums if a part of them is taken away.
[[nodiscard]] TrialStatistics without(TrialStatistics all, const TrialStatistics& part);

/// How many ticks are in one of the stretches or more, which are sorted: VerdictGrounds::stretches.
[[nodiscard]] std::uint64_t union_of(
    std::span<const std::pair<std::uint64_t, std::uint64_t>> stretches);

/// Counts trials in a report, which must outlive it.
class Tally {
  public:
    explicit Tally(VerifyReport& report) : report_(report) {}

    /// A trial is held against this one, trial 0, where the recording is damaged.
    void set_nominal(const TrialResult& nominal);

    void count(std::uint64_t number, const TrialPlan& plan, TrialResult result);

    /// One that began in the middle, where its lead had come that far.
    void count(std::uint64_t number, const TrialPlan& plan, TrialResult result,
               const TrialStatistics& so_far);

    /// Whether a trial was identical up to where the recording is damaged, which the nominal one
    /// has found.
    [[nodiscard]] bool stops_at_damage(const TrialResult& result) const;

    /// To be called when all are counted: puts failures in order, and says how much of the session
    /// bursts covered.
    void finish();

  private:
    void note_reads(const TrialPlan& plan, const TrialResult& result);

    VerifyReport& report_;
    TrialResult nominal_;
    std::set<std::string> read_;  // names of varied settings
    std::set<std::string> unread_;
};

// How long trials that begin in the middle are.

/// In ticks; each is drawn as often as the others. Then it goes on to the next stored hash.
inline constexpr std::array<std::uint64_t, 5> kBurstLengths{64, 128, 256, 512, 1024};

// The trials of one verification that begin in the middle.

/// What it is made of must outlive it. `report` has what is known of the recording.
class Bursts {
  public:
    using Deadline = std::optional<std::chrono::steady_clock::time_point>;

    /// `session_ticks`: none where that is not known yet.
    Bursts(VerifyReport& report, const VerifyOptions& options, const TrialRunner& run, Tally& tally,
           std::optional<std::uint64_t> session_ticks);

    /// Whether any trial begins in the middle.
    [[nodiscard]] bool any() const { return active_; }

    /// Whether trial `number` does, or has done so.
    [[nodiscard]] bool has(std::uint64_t number) const;

    /// Whether trials are to begin with their first ticks alone: in a session of some minutes.
    [[nodiscard]] bool have_beginnings() const;

    /// The trial, with all that it does moved to its first ticks.
    [[nodiscard]] TrialPlan beginning_of(TrialPlan plan) const;

    /// Runs the first ticks of trials that are made so.
    [[nodiscard]] core::Result<std::vector<TrialResult>> run_beginnings(
        std::span<const TrialPlan> plans);

    /// Counts the beginning of a trial, which is not run again in full where that has failed.
    void count_beginning(std::uint64_t number, const TrialPlan& plan, TrialResult result);

    /// Runs trials in full and, meanwhile, bursts: where that can be, on the way of the first of
    /// them. Returns the results of the former; the bursts are kept for count.
    [[nodiscard]] core::Result<std::vector<TrialResult>> run_beside(
        std::span<const TrialPlan> plans, std::span<const std::uint64_t> numbers,
        Deadline deadline = std::nullopt);

    /// Counts those that were run. One that crashed or hung is run from its beginning first.
    [[nodiscard]] core::Result<void> count();

    /// Processor time until the first that failed in run_beside or run_beginnings.
    [[nodiscard]] std::chrono::nanoseconds cpu() const { return cpu_; }

  private:
    struct Numbered {
        std::uint64_t number;
        TrialPlan plan;
        std::optional<BurstResult> ran{};
    };
    struct Group {
        LedTrials trials;
        std::vector<std::size_t> pending;  // as its bursts
    };

    [[nodiscard]] TrialPlan plan(std::uint64_t number) const;
    [[nodiscard]] std::uint64_t steps_of_beginnings() const;
    [[nodiscard]] std::vector<Group> group(std::span<const TrialPlan> plans) const;
    void take(const Group& group, LedResults& results);
    core::Result<void> settle(Numbered& burst);

    VerifyReport& report_;
    VerifyOptions options_;
    const TrialRunner& run_;
    Tally& tally_;
    std::uint64_t session_ticks_;
    std::uint64_t first_;  // number
    bool active_;
    std::vector<Numbered> pending_;
    std::set<std::uint64_t> counted_;  // in the place of trials in full
    std::chrono::nanoseconds cpu_{};
};

}  // namespace isotick::harness
