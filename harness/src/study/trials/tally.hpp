#pragma once
// What the trials of one verification add up to.

#include <isotick/harness/verify.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

[[nodiscard]] bool failed(const TrialResult& result);

/// Counts trials in a report, which must outlive it.
class Tally {
  public:
    explicit Tally(VerifyReport& report) : report_(report) {}

    /// A trial is held against this one, trial 0, where the recording is damaged.
    void set_nominal(const TrialResult& nominal) { nominal_ = nominal; }
    [[nodiscard]] const TrialResult& nominal() const { return nominal_; }

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

    /// The names of varied settings that no trial looked at.
    [[nodiscard]] std::vector<std::string> never_read() const;

    /// Whether a trial went back in time by its loop.
    [[nodiscard]] bool loop_went_back() const { return loop_went_back_; }

  private:
    void add(const TrialStatistics& one);
    void note_reads(const TrialPlan& plan, const TrialResult& result);

    VerifyReport& report_;
    TrialResult nominal_;
    bool loop_went_back_ = false;
    std::set<std::string> read_;  // names of varied settings
    std::set<std::string> unread_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches_;  // of ticks, by bursts
};

}  // namespace isotick::harness
