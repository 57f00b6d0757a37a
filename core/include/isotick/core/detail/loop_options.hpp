#pragma once
// Which loop a host runs, and what it may choose about it. LOOPS.md tells of each kind, its source
// and its options; loops.hpp runs them.

#include <isotick/core/time.hpp>

#include <cstdint>
#include <optional>

namespace isotick::core {

/// The loops of the literature, in the order of LOOPS.md.
enum class LoopKind : std::uint8_t {
    accumulator,         ///< whole ticks, the rest is kept: exact
    threaded,            ///< the same, the simulation on a thread of its own
    clock,               ///< `while (now - simulated >= dt)`, exact
    canonical,           ///< too long a frame is reset to one tick
    reversible,          ///< negative frame times go back through past states
    whole_ticks,         ///< waits until a frame is whole ticks long
    substeps,            ///< the nearest whole number of ticks; the rest is pretended away
    fixed,               ///< one tick per frame, however long it takes
    milliseconds,        ///< a clock and a tick of whole milliseconds
    accumulator_double,  ///< the article's accumulator, in double as printed
    clock_double,        ///< `while (now - simulated >= dt)`, in double
    turns,               ///< a fractional turn that starts at one, in double
    variable,            ///< one step of the frame's own time
    semi_fixed,          ///< steps of at most one tick that make up the frame exactly
    ranged,              ///< steps of a length within a range
    growing,             ///< steps that double while too many are due
};

/// An exact quotient. Its terms need not be in lowest terms.
struct Fraction {
    std::uint64_t numerator = 0;
    std::uint64_t denominator = 1;
    friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// What becomes of time beyond LoopOptions::longest_frame and most_ticks.
enum class Debt : std::uint8_t {
    forgotten,  ///< it is cut, or whole ticks are given up, and the phase is kept
    kept,       ///< it is owed: later frames work it off, each within the limits
    reset,      ///< it is cut but for one tick, and the phase starts anew
};

/// What a negative frame time does.
enum class NegativeTime : std::uint8_t {
    zero,    ///< it counts as zero
    repaid,  ///< the clock must first come back to where it was: later frames count less
};

/// What alpha is for. The number is the same; `current` makes it 0.
enum class View : std::uint8_t {
    interpolate,  ///< from the previous state to the current one: a tick late, never wrong
    extrapolate,  ///< past the current state: not late, a guess
    current,      ///< the current state as it is: less than a tick late, but it stutters
};

/// Which frames are rendered.
enum class RenderWhen : std::uint8_t { always, stepped };

/// How a frame of more than one longest step is divided.
enum class Split : std::uint8_t {
    remainder,  ///< longest steps, then what remains
    even,       ///< as few equal steps as possible
};

/// A linear change of the time scale from LoopOptions::time_scale, at the first frame, to `to`,
/// after `over` of frame time.
struct ScaleRamp {
    static constexpr std::uint64_t kLargestTerm = 1'000'000;     ///< of `to` and the time scale
    static constexpr std::int64_t kLongest = 1'000'000'000'000;  ///< 1000 s

    Fraction to;
    FrameTime over;
    friend bool operator==(const ScaleRamp&, const ScaleRamp&) = default;
};

/// What a host may choose about its loop. With a loop of constant dt none of it may matter to the
/// simulation's bits. Each kind has some of the options (LoopInfo::options); the others must have
/// their defaults.
struct LoopOptions {
    /// A longer frame is cut to this, and the simulation runs slow rather than spiralling to
    /// death (the article's 0.25 s); none: frames are never cut. Must be above zero. A limit
    /// shorter than one tick counts as one tick, so that nominal frames are never cut.
    std::optional<FrameTime> longest_frame = FrameTime{250'000'000};

    /// At most so many ticks per frame; whole ticks beyond it are given up and the fraction of a
    /// tick that remains keeps its phase. None: no limit. Must be above zero.
    std::optional<std::uint64_t> most_ticks = {};

    /// Simulated time per frame time: 1/4 is bullet time, 0/1 stands still, 2/1 is twice as fast.
    /// One tick must still last at least a nanosecond of frame time.
    Fraction time_scale{1, 1};

    /// How much of tick 0 has passed before the first frame, from 0/1 to 1/1. At 1/1 the first
    /// frame steps at once, however short it is.
    Fraction start_phase{0, 1};

    LoopKind kind = LoopKind::accumulator;

    Debt debt = Debt::forgotten;  ///< not together with `ramp`
    NegativeTime negative = NegativeTime::zero;
    std::uint64_t every = 1;             ///< only every n-th tick that is due is run
    std::optional<ScaleRamp> ramp = {};  ///< changes the time scale smoothly
    FrameTime shortest_frame{0};         ///< the host waits until a frame has lasted so long
    FrameTime reread{0};                 ///< alpha is that of a clock read so much later
    View view = View::interpolate;
    RenderWhen render = RenderWhen::always;
    Split split = Split::remainder;
    std::optional<FrameTime> least_dt = {};  ///< ranged: shorter is stockpiled; none: 12 ms
    std::optional<FrameTime> most_dt = {};   ///< the longest step; none: see LOOPS.md
    std::uint64_t steps = 4;                 ///< growing: the step doubles where more are due
    std::optional<TickRate> display = {};    ///< substeps: the frames' rate; none: measured

    friend bool operator==(const LoopOptions&, const LoopOptions&) = default;
};

}  // namespace isotick::core
