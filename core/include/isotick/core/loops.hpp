#pragma once
// Every loop of the literature behind one class, and what is known about each: LOOPS.md.

#include <isotick/core/detail/loop_options.hpp>
#include <isotick/core/loop.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace isotick::core {

/// The lengths of a frame's steps where dt changes: exact seconds in lowest terms, above zero.
struct ChangingDt {
    Fraction each;  ///< of all steps but the last
    Fraction last;
    friend bool operator==(const ChangingDt&, const ChangingDt&) = default;
};

/// What a host does in one frame: waits `wait`, goes back `back` ticks or takes `plan.ticks`
/// steps, and renders at `plan.alpha` if `renders`.
struct HostFrame {
    FramePlan plan;
    std::optional<ChangingDt> dt = {};  ///< none: every step has the session's dt, or there is none
    std::uint64_t back = 0;  ///< ticks to undo by restoring the state of before; then no steps
    FrameTime wait{};        ///< after the frame time given, before the steps; no part of the next
    FrameTime owed{};        ///< frame time that Debt::kept keeps for later frames, so far
    bool renders = true;     ///< false: nothing new to show (RenderWhen::stepped)
};

/// Any loop of loop_options.hpp. Zero, negative and huge frame times are ordinary; what each kind
/// makes of them stands in LOOPS.md. In no kind is there a step of no time, nor more work in a
/// frame than longest_frame, most_ticks and debt allow.
///
/// A value: copying it copies the phase. Not thread-safe. It decides when steps happen and must
/// never be part of what happens in them, but for their dt.
class Loop {
  public:
    /// Fails with usage for an option out of its range, or one that the kind does not have and that
    /// is not at its default; with limit where a tick would be shorter than a nanosecond, or an
    /// exact dt could exceed 64-bit terms.
    [[nodiscard]] static Result<Loop> make(TickRate rate, const LoopOptions& options = {});
    Loop(const Loop& other);
    Loop& operator=(const Loop& other);
    Loop(Loop&&) noexcept;
    Loop& operator=(Loop&&) noexcept;
    ~Loop();

    /// Turns one frame time into what the host does.
    [[nodiscard]] HostFrame advance(FrameTime frame_time);

    /// What alpha is `later` than the last frame time ended, kept below 1: for a host that reads
    /// the clock again after its steps. The next frame is still measured from the first reading. In
    /// kinds without a blend (LoopInfo::blends) 0.
    [[nodiscard]] double alpha_after(FrameTime later) const;

    /// The accumulator behind the kinds from `accumulator` to `whole_ticks` and `growing`, for its
    /// balance; null in the others. Under `ramp` it is fed scaled time. Valid until the loop is
    /// assigned to, moved from or destroyed.
    [[nodiscard]] const AccumulatorLoop* accumulator() const;

    /// Exact seconds that a `ranged` loop has stockpiled, in lowest terms; zero in other kinds.
    [[nodiscard]] Fraction stockpile() const;

    class Engine;  ///< not for users

  private:
    Loop(AccumulatorLoop plain, std::unique_ptr<Engine> engine);

    AccumulatorLoop plain_;           // in use where there is no engine
    std::unique_ptr<Engine> engine_;  // null: an accumulator without further options
};

/// What is known about a kind, whatever its options. The texts live for ever.
struct LoopInfo {
    LoopKind kind;
    std::string_view name;     ///< as parse_loop reads it
    std::string_view summary;  ///< one line
    std::string_view source;   ///< where it is described
    bool constant_dt;          ///< every step has the session's dt: the simulation keeps its bits
    bool varies_ticks_per_frame;
    bool own_thread;  ///< the simulation is stepped on a thread of its own
    bool blends;      ///< alpha tells how far the next tick has come; else it is always 0
    std::span<const std::string_view> options;  ///< names, in the order in which they are printed
};

/// All kinds, in the order of LoopKind.
[[nodiscard]] std::span<const LoopInfo> loops();

[[nodiscard]] const LoopInfo& info_of(LoopKind kind);

/// Whether frames of different lengths can hold different numbers of ticks: as in LoopInfo, but
/// `substeps` of a known display never varies.
[[nodiscard]] bool varies_ticks_per_frame(const LoopOptions& options);

/// Reads `accumulator`, `ranged(least=5ms, most=20ms)`, … Fails with usage, the column (bytes, from
/// 1) and what was expected there. Loop::make checks what depends on the tick rate.
[[nodiscard]] Result<LoopOptions> parse_loop(std::string_view text);

/// The canonical text: the name, and the options that are not at their defaults. parse_loop reads
/// it back to equal options if the kind has them all and they are in range.
[[nodiscard]] std::string to_string(const LoopOptions& options);

}  // namespace isotick::core
