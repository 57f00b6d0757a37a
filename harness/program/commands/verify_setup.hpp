#pragma once
// From the options of verify to what is verified: for the commands that verify.

#include "../options/options.hpp"
#include "../options/shard.hpp"

#include <isotick/harness/verify.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>
#include <vector>

namespace isotick::program {

struct VerifyCommandOptions : CommonOptions {
    std::vector<std::string> recordings;
    std::uint64_t trials = 100;
    std::string seed;
    std::vector<std::string> vary;
    std::string rollback;  ///< another value to vary; see with_rollback
    std::string perturb;   ///< names of axes, `default`, `all` or `none`; empty: default, or none
                           ///< where the user chose a schedule
    std::uint64_t most_frames = 0;
    std::string fields;  ///< how many to list: a number or `all`; empty: as many as is usual
    std::string audit = "quick";     ///< or `none`
    std::string shard;               ///< see parse_shard; empty: all recordings
    bool shard_trials = false;       ///< split the trials of each recording
    Shard own_shard{};               ///< as they say; `recordings` are those of it only
    std::vector<std::string> asked;  ///< all recordings
    std::string run;                 ///< see run_id
    std::string same_for_all;        ///< likewise, but for the recordings
    std::string cache;               ///< a folder; see VerdictCache
    std::string cache_key;           ///< what else decides verdicts
    bool no_cache = false;
    bool quiet = false;                   ///< show no progress
    std::vector<std::string> report;      ///< where to leave reports; see ReportFiles
    bool all_loops = false;               ///< run every loop with a constant dt
    std::string budget;                   ///< a duration; empty: `trials` decides
    std::string bursts = "auto";          ///< or `none`
    std::vector<std::string> must_reach;  ///< names of checkpoints
    bool propose = false;                 ///< see propose
    bool strict = false;                  ///< fail unfinished recordings and blind spots
    std::string shrink;  ///< ticks to spend on it, or `none`; empty: as many as is usual
};

/// What `--loop` is for every loop with a constant dt.
inline constexpr const char* kAllLoops = "all";

/// The options with `--loop all` understood: a choice of loops, and no loop with options of its
/// own.
[[nodiscard]] core::Result<VerifyCommandOptions> with_loops_chosen(VerifyCommandOptions options);

/// What does not depend on the recording.
[[nodiscard]] core::Result<harness::VerifyOptions> verify_options(
    const VerifyCommandOptions& options, const Prepared& prepared);

/// The rest, for a recording with this head that `simulation` runs.
[[nodiscard]] core::Result<harness::VerifyOptions> how_to_verify(
    harness::VerifyOptions how, const VerifyCommandOptions& options, const Prepared& prepared,
    const replay::RecordingHead& head, const harness::SimulationName& simulation);

/// A recording that was verified, and what ran it.
struct Verified {
    harness::VerifyReport report;
    harness::SimulationName simulation;
    harness::ShrinkOptions shrink;  ///< as the options say
};

/// Verifies one recording, with everything that the options ask for. `usual` is what verify_options
/// made of them.
[[nodiscard]] core::Result<Verified> verify_recording(const std::string& recording,
                                                      const VerifyCommandOptions& options,
                                                      const harness::VerifyOptions& usual,
                                                      const Prepared& prepared);

/// Why `--strict` fails a recording: empty where it does not, or was not asked to.
[[nodiscard]] std::vector<std::string> strict_reasons(const harness::VerifyReport& report,
                                                      const VerifyCommandOptions& options);

}  // namespace isotick::program
