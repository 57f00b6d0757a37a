#pragma once
// What the user asked for, as text where the text still has to be understood.

#include "../output/console.hpp"

#include <isotick/core/detail/seam/settings.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/harness/detail/simulations/simulation_catalog.hpp>
#include <isotick/harness/detail/worker/trial_runner.hpp>
#include <isotick/harness/record.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
inline constexpr const char* kUsualFields = "usual";

/// Options that several commands share.
struct CommonOptions {
    std::string program = "isotick";  ///< as a command line names it
    std::string simulation;
    std::string recorded_by;  ///< the simulation that made the recording, where it is another build
    std::vector<std::string> environment;
    bool with_environment = false;  ///< show its values in files and JSON too
    std::string schedule;
    LoopText loop;
    WorkerText worker;
    bool json = false;
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

}  // namespace isotick::program
