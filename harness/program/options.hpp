#pragma once
// What the user asked for, as text where the text still has to be understood.

#include "console.hpp"

#include <isotick/core/loop.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/settings.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace isotick::program {

/// Options about the host loop.
struct LoopText {
    std::string loop = "accumulator";
    // In place of what the loop says; none: as it does.
    std::optional<std::string> longest_frame;
    std::optional<std::uint64_t> most_ticks;  ///< 0: no limit
    std::optional<std::string> time_scale;
    std::optional<std::string> start_phase;
    friend bool operator==(const LoopText&, const LoopText&) = default;
};

/// Options about where trials run.
struct WorkerText {
    std::uint64_t jobs = 0;
    double timeout_seconds = 10;
    std::uint64_t memory_limit_mib = 4096;
};

/// What the option `--fields` of diff is where it stands alone.
inline constexpr std::string_view kUsualFields = "usual";

/// Options that several commands share.
struct CommonOptions {
    std::string program = "isotick";  ///< as a command line names it
    std::string simulation;
    std::string recorded_by;  ///< the simulation that made the recording, where it is another build
    std::vector<std::string> environment;
    std::string schedule;
    LoopText loop;
    WorkerText worker;
    bool json = false;
};

using harness::kLoopNote;
using harness::kScheduleNote;
using harness::recorded_schedule;

struct SimsOptions : CommonOptions {
    std::string check;  ///< the simulation to check; empty: list or describe
    std::vector<std::string> config;
};

struct ServeOptions {
    std::string simulation;
};

struct RecordOptions : CommonOptions {
    std::string output;
    std::uint64_t ticks = 3600;
    std::string seed = "1";
    std::vector<std::string> config;
    std::optional<std::uint32_t> players;
    std::string rate;
    std::string inputs = "bot";    ///< empty: the bot, or where there is none from the seed
    std::string sample = "frame";  ///< or `tick`
    std::uint32_t hash_every = 1;
    std::uint32_t parts_every = 60;
    std::vector<std::string> notes;
    bool force = false;
};

/// Of a recording, or of a session of its own, which is then recorded as these options say.
struct AuditCommandOptions : RecordOptions {
    std::string recording;
};

struct ReplayOptions : CommonOptions {
    std::string recording;
    std::optional<std::uint64_t> until;
    std::uint64_t most_frames = 0;
    std::string fields;  ///< how many to list: a number or `all`; empty: as many as is usual
    std::string state;   ///< where to write the last state
    std::vector<std::string> print;
    std::vector<std::string> watch;
    std::vector<std::string> vary;
    std::string drive;  ///< loop, schedule and axes in one line; empty: what the options say
    bool in_process = false;
};

struct VerifyCommandOptions : CommonOptions {
    std::vector<std::string> recordings;
    std::uint64_t trials = 100;
    std::string seed;
    std::vector<std::string> vary;
    std::string perturb;  ///< names of axes, `all` or `none`; empty: none
    std::uint64_t most_frames = 0;
    std::string fields;  ///< how many to list: a number or `all`; empty: as many as is usual
    std::string audit = "quick";  ///< or `none`
    std::string report;           ///< folder to leave the report in; empty: nowhere
    bool all_loops = false;       ///< run every loop with a constant dt
    bool strict = false;          ///< fail unfinished recordings and blind spots
    std::string shrink;           ///< ticks to spend on it, or `none`; empty: as many as is usual
};

struct DiffOptions : CommonOptions {
    std::string a;
    std::string b;
    std::string fields;  ///< the same; empty: run nothing
    std::string simulation_a;
    std::string simulation_b;
};

struct InspectOptions : CommonOptions {
    std::string recording;
    std::optional<std::string> ticks;  ///< a range of ticks to list
};

struct RepairCommandOptions : CommonOptions {
    std::string recording;
    std::string output;
    bool force = false;
};

// Each command returns the exit code to end with.
[[nodiscard]] int run_record_command(const RecordOptions& options, Console& console);
[[nodiscard]] int run_replay_command(const ReplayOptions& options,
                                     harness::SimulationCatalog& catalog, Console& console);
[[nodiscard]] int run_verify_command(const VerifyCommandOptions& options, Console& console);
[[nodiscard]] int run_diff_command(const DiffOptions& options, Console& console);
/// Of two state dumps instead of two recordings.
[[nodiscard]] int run_state_diff(const DiffOptions& options, Console& console);
[[nodiscard]] int run_audit_command(const AuditCommandOptions& options, Console& console);
[[nodiscard]] int run_inspect_command(const InspectOptions& options, Console& console);
[[nodiscard]] int run_repair_command(const RepairCommandOptions& options, Console& console);

/// What only these commands have; `options` must outlive `app`.
void add_inspect_options(CLI::App& app, InspectOptions& options);
void add_repair_options(CLI::App& app, RepairCommandOptions& options);

// Text to values. Messages name the option.
[[nodiscard]] core::Result<core::LoopOptions> loop_options(const LoopText& text);
[[nodiscard]] core::Result<core::Settings> settings_option(const std::string& option,
                                                           const std::vector<std::string>& texts);
/// What was recognised in captures goes to `console`.
[[nodiscard]] core::Result<core::Schedule> schedule_option(const std::string& text,
                                                           Console& console);
/// Decimal, or hexadecimal after `0x`.
[[nodiscard]] core::Result<std::uint64_t> seed_option(const std::string& text);
[[nodiscard]] core::Result<core::TickRate> rate_option(const std::string& text);
/// `none` or a number of ticks, 0 for as many as is usual; none where nothing is to be shrunk.
[[nodiscard]] core::Result<std::optional<std::uint64_t>> shrink_option(const std::string& text);
/// How many fields to list of each kind: all in JSON, else a few, where the text is empty.
[[nodiscard]] core::Result<std::size_t> fields_option(const std::string& text, bool json);
/// `--progress` goes to `console`, which must outlive the options.
[[nodiscard]] core::Result<harness::WorkerOptions> worker_options(const WorkerText& text,
                                                                  std::string what,
                                                                  Console& console);

/// The options that all commands share, understood.
struct Prepared {
    core::Schedule schedule;
    core::LoopOptions loop;
    core::Settings environment;
    harness::WorkerOptions worker;
};
[[nodiscard]] core::Result<Prepared> prepare(const CommonOptions& options, std::string what,
                                             Console& console);

/// The same error, naming `file` unless it names one already.
[[nodiscard]] core::Error about(const std::string& file, core::Error error);

/// Reports `error` on stderr and returns the exit code for it.
[[nodiscard]] int fail_with(const core::Error& error, Console& console);

}  // namespace isotick::program
