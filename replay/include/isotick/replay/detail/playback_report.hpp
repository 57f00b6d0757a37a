#pragma once
// What a playback found out about a game's own loop.

#include <isotick/core/hash.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::replay {

/// What a playback ends with.
enum class PlaybackVerdict {
    identical,     ///< all ticks were played and every compared hash was the recorded one
    diverged,      ///< a hash differs
    off_pace,      ///< the game's loop made more or fewer ticks than the time it was given holds
    out_of_order,  ///< a tick was skipped, repeated, or not checked where a hash is recorded
    unreadable,    ///< the recording is damaged or cannot be read to its end
    inconclusive,  ///< nothing was proven, with the reason
};

/// `identical`, `off-pace` …: the word used in reports.
[[nodiscard]] std::string_view to_string(PlaybackVerdict verdict);

/// The first state whose hash is not the recorded one.
struct PlaybackDivergence {
    std::optional<core::Tick> tick;  ///< after this tick; none: before tick 0 already
    core::StateHash recorded;
    core::StateHash computed;
    std::vector<std::string> parts;         ///< that differ, where part hashes are recorded here
    std::optional<core::Tick> last_agreed;  ///< the last tick before it whose hash was compared
    std::uint64_t tick_in_frame = 0;        ///< from 0
    std::uint64_t idle_frames = 0;          ///< frames without a tick just before its frame
};

/// How far a game's loop was from the one that it says it has, when a frame ended.
struct PaceError {
    std::uint64_t ticks_done = 0;  ///< by the game, from the beginning
    std::uint64_t ticks_due = 0;   ///< by an exact loop with PlaybackOptions::loop
};

/// What a playback did and found.
struct PlaybackReport {
    PlaybackVerdict verdict = PlaybackVerdict::identical;
    std::string reason;    ///< in one sentence, for every verdict but identical
    std::string schedule;  ///< its text form: what reproduces the frame times
    std::optional<PlaybackDivergence> divergence;
    std::optional<PaceError> pace;
    std::optional<Damage> damage;
    std::uint64_t ticks = 0;  ///< played, repeated ones once
    std::uint64_t hashes_compared = 0;
    std::uint64_t frames = 0;      ///< handed out; the last is where the playback ended
    core::FrameTime last_frame{};  ///< its frame time
    std::uint64_t least_ticks_per_frame = 0;
    std::uint64_t most_ticks_per_frame = 0;
    std::uint64_t schedule_repeats = 0;  ///< how often the schedule ended and began again
};

/// Everything a person needs to know, several printable lines, without a trailing newline.
[[nodiscard]] std::string describe(const PlaybackReport& report);

}  // namespace isotick::replay
