#pragma once
// What `isotick lockstep` is asked for, and the session that it makes of it.

#include "record.hpp"

#include <isotick/harness/lockstep.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

struct LockstepCommandOptions : RecordOptions {
    std::string recording;               ///< empty: a session is recorded first
    std::optional<std::uint32_t> peers;  ///< none: one for each player
    std::uint32_t spectators = 0;
    std::string mode = "lockstep";
    std::string network = "broadband";
    std::optional<std::uint64_t> session_ticks;
    std::optional<std::string> root_seed;
    std::optional<std::uint64_t> trials;  ///< none: 10
    std::optional<std::uint32_t> delay;
    std::uint32_t guess = 8;
    std::vector<std::string> events;    ///< each given by itself
    std::string drawn_events = "none";  ///< random: each trial draws its own
    std::vector<std::string> faults;
    std::vector<std::string> peer_simulations;  ///< `2=PATH`
    std::string plan;    ///< exactly this session, or `@` and a file; in place of the above
    std::string folder;  ///< for recordings
    std::string time_line;
    std::string fields;
    std::string shrink;
    std::vector<std::string> report;  ///< where to leave reports; see ReportFiles
};

/// The plan of all trials. `players`: the session's. Fails with `usage` and the option's name.
[[nodiscard]] core::Result<harness::LockstepPlan> lockstep_plan(
    const LockstepCommandOptions& options, std::uint32_t players, core::TickRate rate);

/// The file that `--plan` names; empty: none.
[[nodiscard]] std::string plan_file(const LockstepCommandOptions& options);

/// `--plan`, whose option errors name.
[[nodiscard]] core::Result<harness::LockstepPlan> parse_plan(const LockstepCommandOptions& options);

/// The same error, naming the option.
[[nodiscard]] core::Error about_option(const char* option, core::Error error);

/// The events of `--event`, by time. Fails with `usage` and the option's name.
[[nodiscard]] core::Result<std::vector<harness::PeerEvent>> event_options(
    const std::vector<std::string>& texts);

/// A trace of a link that a network names: a file.
[[nodiscard]] core::Result<std::shared_ptr<const harness::LinkTrace>> read_link_trace(
    const std::string& path);

/// The command that runs the trial that is shown again, and nothing else. Where it would be longer
/// than 2,000 bytes, the plan goes to a new file, in `options.folder` or here.
[[nodiscard]] core::Result<std::string> lockstep_command(const harness::LockstepReport& report,
                                                         const LockstepCommandOptions& options);

/// The command that replays the peer that diverged, alone; empty where there is none, its recording
/// is not kept, peers were absent, or it would be too long for a line.
[[nodiscard]] std::string peer_command(const harness::LockstepReport& report,
                                       const LockstepCommandOptions& options);

}  // namespace isotick::program
