#pragma once
// Plays a recording to a game that runs its own loop, with a fake clock, and judges what it does.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/schedule.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/playback_report.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace isotick::replay {

struct PlaybackOptions {
    /// The frame times that the game is given. `mix(seed=…)` is a good one to try, with many seeds.
    core::Schedule schedule = core::Schedule::nominal();
    /// What the game's loop is meant to do, as in core/LOOPS.md: what it cuts off long frames, how
    /// many ticks a frame may hold, what becomes of the rest. Its ticks are counted against those
    /// of this loop. A loop whose ticks cannot be counted makes no sense: one that changes dt, or
    /// `reversible`. Usual rules, where `n` is a number of ticks:
    ///
    ///     {}                                              // frames are cut to 250 ms
    ///     {.longest_frame = {}, .most_ticks = n}          // at most n ticks, the rest is dropped
    ///     {.longest_frame = {}, .most_ticks = n, .debt = Debt::kept}  // … the rest comes later
    ///
    /// With `.negative = NegativeTime::repaid` for a loop that subtracts readings of clock_ns.
    core::LoopOptions loop = {};
    /// By how many ticks the two may differ when a frame ends (loops start at another phase, or
    /// round); none: the pace is not judged. It is not, either, from the first tick on that has a
    /// dt of its own.
    std::optional<std::uint64_t> pace_slack = 1;
    /// How many ticks a game may go back to play again, as rollback does; at most 65,536.
    std::uint32_t most_rollback = 0;
    /// The last tick to play; the recording's last by default.
    std::optional<core::Tick> until = {};
    /// Frames to hand out at most; 0: 1000 per tick played, plus a million.
    std::uint64_t most_frames = 0;
};

/// Puts a game's own main loop under test. The game takes its frame times from here instead of a
/// clock, its inputs from here instead of devices and network, and hands back the hash of each
/// state. Whatever the schedule, the same ticks must come out with the same hashes, and as many of
/// them as the time holds: a loop that drops the remainder of a frame, lets its frame time into
/// the state or loses ticks is found, at the tick or frame where it shows.
///
/// Pull style, where the game owns the loop:
///
///     while (const auto frame_time = playback.next_frame()) { game.frame(*frame_time); }
///
/// and within frame, for each tick that falls due:
///
///     const auto inputs = playback.inputs(tick);
///     if (!inputs) { break; }  // it is over
///     step(*inputs);
///     playback.check(tick, [&] { return hashes(); });
///
/// Push style: playback.run(frame) is that loop. When it is over, report() says what came of it.
///
/// A game that waits within a frame calls next_frame where it would sleep or read its clock again,
/// however deep in its own loop: a frame lasts from one such call to the next, and clock_ns stands
/// still within it (harness/INTEGRATING.md, "A loop that waits").
///
/// Nothing throws and nothing but open fails: a mistake of the game ends the playback, and the
/// report says so. Movable; not thread-safe.
class Playback {
  public:
    /// Opens the recording at `path`: UTF-8 on Windows, elsewhere bytes as the system has them.
    /// Fails where Reader::open does, and with `usage` on options that make no sense.
    [[nodiscard]] static core::Result<Playback> open(const std::string& path,
                                                     const PlaybackOptions& options = {});
    ~Playback();
    Playback(Playback&&) noexcept;
    Playback& operator=(Playback&&) noexcept;

    /// What to create the game from: seed, players, rate, config; and how hashes are made.
    [[nodiscard]] const RecordingHead& head() const;

    /// Ends the frame before, and begins the next: how long it took, in nanoseconds (it may be
    /// zero or negative, as clocks are). None when it is over.
    [[nodiscard]] std::optional<core::FrameTime> next_frame();

    /// The fake clock: the sum of all frame times so far, in nanoseconds; starts at 0, saturates.
    [[nodiscard]] std::int64_t clock_ns() const;

    /// The inputs of `tick`: players in order, the world's last; valid until the next call of
    /// inputs. None when it is over: do not step. Ask when `tick` is about to be stepped: that is
    /// what counts as a tick made. Ticks come in order, from 0; the one asked for last may be asked
    /// for again, and earlier ones within most_rollback.
    [[nodiscard]] std::optional<std::span<const isotick_input>> inputs(core::Tick tick);

    /// The dt to step `tick` by, whose inputs were asked for: its own where one was recorded, else
    /// the constant one of the head's rate. In a recording with dts of their own this, and not its
    /// frame times, is what the game must step by.
    [[nodiscard]] core::TickDt dt(core::Tick tick) const;

    /// True if a hash after `tick`, whose inputs were asked for, is recorded. Only such ticks need
    /// to be checked.
    [[nodiscard]] bool hash_due(core::Tick tick) const;

    /// Hands in the hashes of the state after `tick`, whose inputs were asked for. `hashes` may be
    /// null unless hash_due; its parts may be empty, then only the states' hashes are compared.
    /// False when it is over.
    bool check(core::Tick tick, const TickHashes* hashes);

    /// As above; `hash` is called for the TickHashes only where they are due.
    template <std::invocable Hash>
    bool check(core::Tick tick, const Hash& hash) {
        if (!hash_due(tick)) {
            return check(tick, nullptr);
        }
        const TickHashes hashes = hash();
        return check(tick, &hashes);
    }

    /// Hands in the hashes of the state before tick 0: tells a game that starts otherwise from one
    /// that diverges in its first tick. Before the first frame, or not at all.
    bool check_initial(const TickHashes& hashes);

    /// Push style: calls `frame` with each frame time until it is over.
    template <std::invocable<core::FrameTime> Frame>
    PlaybackReport run(const Frame& frame) {
        while (const auto frame_time = next_frame()) {
            frame(*frame_time);
        }
        return report();
    }

    /// The verdict. Ends the playback: before its end the session was not played through, and the
    /// verdict is inconclusive.
    [[nodiscard]] PlaybackReport report();

  private:
    struct Impl;
    explicit Playback(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace isotick::replay
