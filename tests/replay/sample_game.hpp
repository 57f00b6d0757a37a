#pragma once
// A small game with a main loop of its own, in right and in wrong forms.

#include <isotick/core/hash.hpp>
#include <isotick/replay/playback.hpp>
#include <isotick/replay/recorder.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace isotick::replay {

/// What is wrong with a SampleGame's loop.
enum class LoopFault {
    none,
    drops_remainder,       ///< what is left of a frame after its last tick is lost
    frame_time_in_state,   ///< steps by the frame time where it should step by dt
    one_tick_per_frame,    ///< never looks at the clock
    skips_second_tick,     ///< of a frame: counts it, but does not run it
    repeats_first_tick,    ///< of a frame that has several
    moves_while_rendering  ///< extrapolates for the renderer, and keeps it
};

/// A ball that a player pushes, at 60 ticks per second. The whole of a user's own code: only the
/// calls of `inputs` and `check` are isotick's.
class SampleGame {
  public:
    static constexpr std::int64_t kTickNs = 16'666'667;
    static constexpr double kDt = 1.0 / 60.0;

    explicit SampleGame(LoopFault fault = LoopFault::none, std::uint64_t fault_from = 0)
        : fault_(fault), fault_from_(fault_from) {}

    void step(std::span<const isotick_input> inputs, double dt = kDt) {
        if (inputs[0].size > 0) {
            velocity_ += inputs[0].data[0] * 0.01;
        }
        velocity_ -= position_ * dt;
        position_ += velocity_ * dt;
    }

    [[nodiscard]] TickHashes hashes() {
        const std::array state{position_, velocity_};
        part_ = {core::hash_bytes(std::as_bytes(std::span(state)))};
        return {core::hash_parts({&part_, 1}), {&part_, 1}};
    }

    /// One turn of the main loop.
    void frame(Playback& playback, core::FrameTime frame_time) {
        constexpr std::int64_t kLongestFrame = 250'000'000;
        const std::int64_t passed =
            std::clamp<std::int64_t>(frame_time.nanoseconds, 0, kLongestFrame);
        accumulator_ += has(LoopFault::one_tick_per_frame) ? kTickNs : passed;
        const std::int64_t due = accumulator_ / kTickNs;
        for (std::int64_t i = 0; i < due; ++i) {
            if (!tick(playback, i, due, passed)) {
                return;
            }
        }
        accumulator_ = has(LoopFault::drops_remainder) && due > 0 ? 0 : accumulator_ % kTickNs;
        if (has(LoopFault::moves_while_rendering) && due == 0) {
            position_ += velocity_ * static_cast<double>(accumulator_) / 1e9;
        }
    }

    [[nodiscard]] std::uint64_t ticks() const { return tick_; }

  private:
    [[nodiscard]] bool has(LoopFault fault) const {
        return fault_ == fault && tick_ >= fault_from_;
    }

    bool tick(Playback& playback, std::int64_t number, std::int64_t of, std::int64_t passed) {
        if (has(LoopFault::skips_second_tick) && number == 1) {
            ++tick_;
            return true;
        }
        const auto inputs = playback.inputs(core::Tick{tick_});
        if (!inputs) {
            return false;
        }
        step(*inputs,
             has(LoopFault::frame_time_in_state) ? static_cast<double>(passed) / 1e9 : kDt);
        const bool goes_on = playback.check(core::Tick{tick_}, [&] { return hashes(); });
        const bool repeats = has(LoopFault::repeats_first_tick) && number == 0 && of > 1;
        tick_ += repeats ? 0 : 1;
        return goes_on;
    }

    LoopFault fault_;
    std::uint64_t fault_from_;
    double position_ = 1.0;
    double velocity_ = 0.0;
    std::uint64_t tick_ = 0;
    std::int64_t accumulator_ = 0;
    core::PartHash part_;
};

}  // namespace isotick::replay
