#pragma once
// Many netplay sessions of the same programs: which of them fail, and what one needs to fail.

#include "judge.hpp"
#include "session.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/field_report.hpp>
#include <isotick/harness/detail/lockstep_plan.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/detail/verdict.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness::netplay {

/// Kinds of events that trials may draw.
struct DrawnEvents {
    bool pause = false;
    bool cut = false;
    bool rebind = false;
    bool kill = false;   ///< one that is killed comes again
    bool leave = false;  ///< one that leaves stays away
    bool join = false;   ///< late

    [[nodiscard]] bool any() const { return pause || cut || rebind || kill || leave || join; }
};

struct NetplayOptions {
    std::vector<PeerProgram> programs;  ///< one for all peers, or one for each
    LockstepPlan plan;                  ///< of all trials: see SessionSetup::plan
    bool exact = false;                 ///< this plan is the only trial
    DrawnEvents draws;
    std::int64_t length_ns = 60'000'000'000;  ///< of each session, at most
    std::uint64_t trials = 10;                ///< trial 0 has a perfect network and no events
    std::uint64_t seed = 1;                   ///< root of all trials' seeds
    std::uint64_t timeout_ms = 10'000;
    std::size_t jobs = 0;              ///< sessions at a time; 0: as many as there are processors
    std::uint64_t most_shrinks = 200;  ///< sessions to spend on making a failing one smaller
    bool records = true;               ///< some peer has a {record} in its command
    bool dumps = false;                ///< some peer has a {dump}
    std::size_t most_fields = 3;       ///< that differ, to list, of each kind
    std::string folder;                ///< for what peers leave; one folder below it per session
    TrialRunner replay;  ///< replays a recording offline; none: recordings are compared only
    std::function<bool()> stop;
    std::function<void(std::uint64_t done, std::uint64_t total)> on_progress;
};

/// A recording whose hashes an offline replay of its inputs does not compute.
struct OfflineDiffers {
    std::uint32_t peer = 0;
    std::uint64_t ticks_done = 0;
    core::StateHash recorded;
    core::StateHash computed;
    std::vector<std::string> parts;
};

/// A peer that goes on but records no ticks any more.
struct StalledPeer {
    std::uint32_t peer = 0;
    std::uint64_t ticks = 0;  ///< that it recorded
    std::optional<std::int64_t> recorded_ns;
};

struct NetplayTrial {
    std::uint64_t number = 0;
    LockstepPlan plan;
    std::int64_t length_ns = 0;
    Session session;
    Judgment judgment;
    Verdict verdict = Verdict::identical;
    std::string reason;  ///< for every verdict but identical and diverged
    std::vector<OfflineDiffers> offline;
    std::uint64_t replayed_offline = 0;  ///< recordings
    std::vector<StalledPeer> stalled;
};

/// What made a failing session smaller.
struct NetplayShrinking {
    LockstepPlan original;
    std::uint64_t sessions = 0;      ///< that were tried
    bool unfinished = false;         ///< there was more to try
    std::vector<std::string> needs;  ///< packets and events without any of which it does not fail
};

/// Two of the states that differ, as their peers left them when the session ran once more.
struct DumpedStates {
    std::uint32_t first = 0;  ///< peers
    std::uint32_t second = 0;
    std::optional<StateComparison> compared;
    std::string missing;  ///< why they could not be compared
};

struct NetplayReport {
    std::uint64_t seed = 0;
    std::uint64_t trials = 0;
    std::uint64_t identical = 0;
    Verdict verdict = Verdict::identical;
    NetplayTrial shown;                                     ///< the first that failed, else trial 0
    std::vector<std::pair<std::uint64_t, Verdict>> failed;  ///< by number
    std::optional<NetplayShrinking> shrinking;
    std::optional<DumpedStates> dumped;
    std::uint64_t repeated = 0;  ///< sessions that were run again, to see whether they are the same
    std::uint64_t same = 0;      ///< of these
    std::string unlike;          ///< the first thing that was not the same in them
    // Of all trials.
    std::uint64_t packets = 0;        ///< datagrams
    std::uint64_t lost = 0;           ///< of these
    std::uint64_t stream_pieces = 0;  ///< that TCP sent
    std::uint64_t ticks_compared = 0;
    std::int64_t virtual_ns = 0;
};

/// Runs trials, several at a time, until all are done. Fails where programs and options make no
/// sense, or no session can be run.
[[nodiscard]] core::Result<NetplayReport> run_netplay(const NetplayOptions& options);

/// The plan of a trial: drawn from the root seed and its number alone.
[[nodiscard]] LockstepPlan draw_netplay_plan(const NetplayOptions& options, std::uint64_t number);

}  // namespace isotick::harness::netplay
