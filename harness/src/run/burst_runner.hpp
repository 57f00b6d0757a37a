#pragma once
// Runs bursts: short trials that start in the middle of another.

#include "../system/posix.hpp"
#include "../system/process.hpp"
#include "job.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace isotick::harness {

// The worker's side of trials that begin in the middle of another one.

/// Runs a trial in this process, and copies it before the frames from which others go on. One
/// burst runs at a time: other workers use the other processors.
class BurstLeader {
  public:
    BurstLeader(const LedPlan& plan, const isotick_simulation_table& table, Progress& progress)
        : plan_(plan), table_(table), progress_(progress) {}

    /// Returns the response. In copies it does not return: they end with their burst.
    [[nodiscard]] std::string run();

  private:
    std::optional<BranchPoint::Way> wait(const TrialStatistics& so_far);
    [[nodiscard]] bool is_over() const;
    [[nodiscard]] core::Result<bool> copy(const TrialStatistics& so_far);
    [[nodiscard]] TrialResult await(Process burst, int life);
    [[nodiscard]] TrialResult result_of(const ProcessEnd& end, bool timed_out) const;
    void end_copy(TrialResult& result);
    [[nodiscard]] std::string response();

    const LedPlan& plan_;
    const isotick_simulation_table& table_;
    Progress& progress_;
    LedResults results_;
    FileDescriptor answer_;  // of the copy under way
    std::size_t next_ = 0;   // burst
    bool failed_ = false;
    bool is_copy_ = false;
};

}  // namespace isotick::harness
