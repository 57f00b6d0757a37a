#pragma once
// Options that several commands share, and what the user asked for with them.

#include "../command/option_list.hpp"
#include "../output/console.hpp"

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

// What the user asked for, as text where the text still has to be understood.

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
inline constexpr const char* kUsualFields = "usual";

/// Options that several commands share.
struct CommonOptions {
    std::string program = "isotick";  ///< as a command line names it
    std::string simulation;
    std::string recorded_by;  ///< the simulation that made the recording, where it is another build
    std::string draws;        ///< the part of the state whose draws to compare; empty: none
    std::vector<std::string> environment;
    bool with_environment = false;  ///< show its values in files and JSON too
    std::string schedule;
    LoopText loop;
    WorkerText worker;
    bool json = false;
    bool verbose = false;      ///< seeds, digests, hashes, and how much was run, too
    bool detect_only = false;  ///< leave failures unconfirmed and unexplained
};

using harness::kLoopNote;
using harness::kScheduleNote;
using harness::recorded_schedule;

// Text to values. Messages name the option.
[[nodiscard]] core::Result<core::LoopOptions> loop_options(const LoopText& text);
[[nodiscard]] core::Result<core::Settings> settings_option(const std::string& option,
                                                           const std::vector<std::string>& texts);
/// The environment as files and JSON show it, which others may get to see: `…` for each value,
/// unless the user asked for them.
[[nodiscard]] std::vector<std::string> shared_environment(const CommonOptions& options);
/// What was recognized in captures goes to `console`.
[[nodiscard]] core::Result<core::Schedule> schedule_option(const std::string& text,
                                                           Console& console);
/// Decimal, or hexadecimal after `0x`.
[[nodiscard]] core::Result<std::uint64_t> seed_option(const std::string& text);
[[nodiscard]] core::Result<core::TickRate> rate_option(const std::string& text);
/// `none` or a number of ticks, 0 for as many as is usual; none where nothing is to be shrunk.
[[nodiscard]] core::Result<std::optional<std::uint64_t>> shrink_option(const std::string& text);
/// How many fields to list of each kind: all in JSON, else a few, where the text is empty.
[[nodiscard]] core::Result<std::size_t> fields_option(const std::string& text, bool json);

/// The value of `--draws`, which needs fields.
[[nodiscard]] core::Result<std::string> draws_option(const std::string& text,
                                                     std::size_t most_fields);
/// `--progress` goes to `console`, which must outlive the options.
[[nodiscard]] core::Result<harness::WorkerOptions> worker_options(const WorkerText& text,
                                                                  std::string what,
                                                                  Console& console);

/// The options that all commands share, understood.
struct Prepared {
    core::Schedule schedule;
    core::LoopOptions loop;
    core::Settings environment;
    core::Settings shared_environment;
    harness::WorkerOptions worker;
};
[[nodiscard]] core::Result<Prepared> prepare(const CommonOptions& options, std::string what,
                                             Console& console);

/// The same error, naming `file` unless it names one already.
[[nodiscard]] core::Error about(const std::string& file, core::Error error);

/// Reports `error` on stderr and returns the exit code for it.
[[nodiscard]] int fail_with(const core::Error& error, Console& console);

// Options that several commands share, in groups.

/// Each a `key=value`; may be given several times.
void add_settings(OptionList& list, const char* name, std::vector<std::string>& settings,
                  const char* help);
/// Which simulation, and its environment.
void add_simulation(OptionList& list, CommonOptions& options, const char* help);
/// Whether what others may get to see has the values of `--environment` in it.
void add_with_environment(OptionList& list, CommonOptions& options);
/// The recording to write.
void add_output(OptionList& list, std::string& output, bool& force,
                const char* help = "The recording to write",
                const char* force_help = "Replace a recording that exists");
/// How worker processes are bounded; `many`: and how many there are.
void add_worker(OptionList& list, WorkerText& worker, bool many);
/// Which frame times, and which loop.
void add_host(OptionList& list, CommonOptions& options, const char* schedule);
/// How much work goes into making a failing schedule smaller.
void add_shrink(OptionList& list, std::string& shrink);
/// How many differing fields are listed, and the build that recorded.
void add_fields(OptionList& list, std::string& fields, CommonOptions& options);
/// Whether a report says how all that it says was found out.
void add_verbose(OptionList& list, CommonOptions& options);
/// What must not matter, at values that the user names.
void add_vary(OptionList& list, std::vector<std::string>& vary, const char* type, const char* help);
/// Going back in time, as the axis of that name does.
void add_rollback(OptionList& list, std::string& rollback);
/// When a schedule is given up.
void add_frames(OptionList& list, std::uint64_t& most_frames);

// What runs a recording: what the user names, or what it says it is of.

/// What `--sim` names, or where it is not given, what the recording says it is of.
[[nodiscard]] harness::SimulationName simulation_of(const replay::RecordingHead& head,
                                                    const std::string& chosen);

/// A runner of `simulation`, which the user gave as `option` (empty: not at all). Fails where it
/// does not fit the recording.
[[nodiscard]] core::Result<harness::TrialRunner> fitting_runner(
    const std::string& option, const harness::SimulationName& simulation,
    const replay::RecordingHead& head, const harness::WorkerOptions& worker);

/// The same for what the user gave as `--sim-a`; none where that is empty.
[[nodiscard]] core::Result<std::optional<harness::TrialRunner>> recorded_side(
    const std::string& chosen, const replay::RecordingHead& head,
    const harness::WorkerOptions& worker);

// Keeping this process alive where a plug-in may end it.

/// Runs `body` in a child process, its results printed there, and returns the exit code it ends
/// with; 5, with a message, where the child ends otherwise: by a signal, or by an exit that is not
/// ours.
[[nodiscard]] int run_guarded(const std::function<int()>& body, Console& console);

}  // namespace isotick::program
