#pragma once
// Recording a session headless, as a live game would under a given schedule.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/detail/simulation_table.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/input_edits.hpp>
#include <isotick/harness/detail/progress.hpp>
#include <isotick/replay/writer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace isotick::harness {

/// Where a recorded session's inputs come from.
enum class InputSource {
    bot,        ///< the simulation's own propose_input
    random,     ///< drawn from the session's seed, as described, else any bytes
    none,       ///< every input absent
    recording,  ///< those of another recording, tick by tick; not for command lines
};

/// The key of the note that says how a session was driven, where it was not nominally.
inline constexpr const char* kScheduleNote = "isotick.schedule";
/// The key of the note that holds the loop, as core::parse_loop reads it, where it is not the usual
/// one.
inline constexpr const char* kLoopNote = "isotick.loop";
/// The key of the note that says which build of the simulation made the hashes.
inline constexpr const char* kBuildNote = "isotick.build";

/// `bot`, `random`, `none`, `recording`; the last cannot be parsed.
[[nodiscard]] std::string_view to_string(InputSource source);
[[nodiscard]] core::Result<InputSource> parse_input_source(std::string_view text);

/// The schedule that a session was recorded under, where its notes name one and no loop. None too
/// where it names captures: what a recording says opens no file.
[[nodiscard]] std::optional<core::Schedule> recorded_schedule(const core::Settings& notes);

struct RecordPlan;

/// Has the plan drive the simulation as notes say that it was driven, as far as they can be
/// followed here.
void drive_as_noted(const core::Settings& notes, RecordPlan& plan);

/// Everything that decides what is recorded.
struct RecordPlan {
    std::string path;
    bool overwrite = false;  ///< as in replay::WriterOptions
    /// Unless it appears only when it is complete, or replaces another, a recording that fails is
    /// kept as far as it came.
    replay::Appearance appearance = replay::Appearance::at_once;
    core::SimulationSetup setup;
    std::uint64_t ticks = 0;
    Drive drive;
    InputSource inputs = InputSource::bot;
    std::string recorded_inputs;  ///< with InputSource::recording: its path; at least as many ticks
    bool sample_every_tick = false;  ///< else once per frame
    InputEdits edits;                ///< with InputSource::recording: changes to them
    bool finish = true;              ///< false: leave what a killed writer would, full chunks
    std::uint32_t hash_every = 1;
    std::uint32_t parts_every = 60;
    core::Settings notes;
};

/// What was recorded. With an error, `ticks` says how many are in the file all the same, where
/// `kept` says that there is one.
struct RecordResult {
    std::optional<core::Error> error;
    bool kept = false;
    std::uint64_t ticks = 0;
    std::uint64_t frames = 0;
    std::uint64_t inputs_present = 0;
    core::StateHash last_hash;
    core::Digest session_digest;
    std::string output;  ///< what the simulation printed, where it ran in a worker process
};

/// Records in the calling process. Inputs are sampled once per frame, at its beginning, and every
/// tick of the frame sees that sample; a sample taken in a frame without ticks is replaced by the
/// next. With sample_every_tick they are sampled right before each tick. Never throws.
[[nodiscard]] RecordResult run_record(const RecordPlan& plan, const isotick_simulation_table& table,
                                      Progress& progress);

}  // namespace isotick::harness
