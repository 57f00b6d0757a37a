#pragma once
// The peers of a session as trials.

#include "../system/files.hpp"
#include "session_inputs.hpp"

#include <isotick/harness/lockstep.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// What the sessions of one recording share.
struct SessionSource {
    const std::string& recording;
    const LockstepOptions& options;
    const TrialRunner& run;
    core::TickRate rate;
    SessionInputs inputs;
    std::uint64_t snapshot_bytes =
        SessionOptions().snapshot_bytes;  ///< that one takes on the network
    /// Hashes of every tick where the recording has not that of each.
    std::shared_ptr<SharedFile> every_hash{};
};

/// A session of peers that is run: its files live as long.
class PeerTrials {
  public:
    /// Computes what the peers do, and the offline hashes where some were absent. `folder`: for the
    /// peers' recordings; empty: none.
    [[nodiscard]] static core::Result<PeerTrials> prepare(const SessionSource& source,
                                                          LockstepPlan plan, std::uint64_t number,
                                                          const std::string& folder,
                                                          const SessionOptions& how);

    /// Whether there are peers that have not been run.
    [[nodiscard]] bool has_more() const;
    /// What can be run now, where snapshots are needed that are there; `take` expects the results
    /// in the same order.
    struct Next {
        std::uint32_t peer = 0;
        TrialPlan plan;
    };
    [[nodiscard]] std::vector<Next> next();
    void take(std::vector<TrialResult> results);

    /// Only that peer needs to be run, and whoever gives it a snapshot.
    void leave_only(std::uint32_t peer);
    /// All peers have been run.
    [[nodiscard]] LockstepTrial finish();

    [[nodiscard]] const LockstepTrial& trial() const { return trial_; }
    /// The plan of the trial of a peer's run.
    [[nodiscard]] const TrialPlan& plan_of(std::size_t run) const { return plans_[run]; }
    /// The offline replay that the peers are held against.
    [[nodiscard]] const TrialPlan& offline() const { return offline_; }
    [[nodiscard]] const SessionCourse& session() const { return session_; }

  private:
    explicit PeerTrials(const SessionSource& source) : source_(&source) {}
    [[nodiscard]] core::Result<void> compute(const SessionOptions& how);
    [[nodiscard]] core::Result<void> make_offline();
    [[nodiscard]] core::Result<void> make_plans(const std::string& folder);
    [[nodiscard]] core::Result<std::string> keep_file();

    const SessionSource* source_;
    LockstepTrial trial_;
    SessionCourse session_;
    TrialPlan offline_;
    std::shared_ptr<SharedFile> hashes_;
    std::vector<SharedFile> files_;
    std::vector<std::uint64_t> steps_;  // by run
    std::vector<TrialPlan> plans_;      // by run
    std::vector<std::optional<TrialResult>> results_;
    std::vector<std::size_t> under_way_;
};

/// Runs several sessions at once, to their ends.
[[nodiscard]] core::Result<void> run_all(std::vector<PeerTrials>& sessions,
                                         const SessionSource& source);

/// The offline hashes of the first `ticks` ticks, with these edits, in a file that lives as long as
/// it.
[[nodiscard]] core::Result<std::shared_ptr<SharedFile>> offline_hashes(const SessionSource& source,
                                                                       const InputEdits& edits,
                                                                       std::uint64_t ticks);

}  // namespace isotick::harness
