#pragma once
// Writes down what a peer does, as a course.

#include "session_inputs.hpp"

#include <isotick/harness/detail/peers/course.hpp>
#include <isotick/harness/peer.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace isotick::harness {

/// One peer's course so far. `inputs` must outlive it.
class CourseWriter {
  public:
    /// `owner`: of each player in order, and of the world, the peer whose it is.
    CourseWriter(const SessionInputs& inputs, std::vector<std::uint32_t> owner)
        : inputs_(inputs), owner_(std::move(owner)) {}

    /// It starts at a snapshot. To be called before any frame.
    void begin_at(std::uint64_t tick) { course_.first_tick = tick; }
    [[nodiscard]] std::uint64_t first_tick() const { return course_.first_tick; }

    void begin_frame(core::FrameTime frame_time, std::uint64_t back);
    /// `takes_part(peer)`: as far as the peer knows.
    template <class TakesPart>
    void step(const PeerStep& step, const TakesPart& takes_part) {
        begin_step(step);
        const auto recorded = inputs_.of(step.tick);
        for (std::size_t i = 0; i < owner_.size(); ++i) {
            const bool guessed = (step.guessed >> owner_[i] & 1U) != 0;
            if (guessed ? true
                        : takes_part(owner_[i]) && !same_input(step.inputs[i], recorded[i])) {
                note(step.inputs[i], guessed);
            }
        }
    }
    void end_frame(double alpha) { course_.frames.back().alpha = alpha; }

    /// Instead of what the latest step of that tick had, one of the last 1024.
    void replace_input(core::Tick tick, const isotick_input& input) {
        course_.guesses.push_back(noted(latest_[tick.value % kKept].step, input));
    }

    /// That the latest frame had.
    [[nodiscard]] std::uint64_t latest_steps() const { return course_.frames.back().steps; }
    /// The whole of it. Ticks from `verified` on are not final.
    [[nodiscard]] Course finish(std::uint64_t verified);

  private:
    static constexpr std::size_t kKept = 1024;  // ticks: more than a peer ever takes back

    struct Latest {
        std::size_t step = 0;               // index in course_.steps
        std::vector<GuessedInput> guesses;  // that it was run with
        std::size_t used = 0;               // of them; the others are memory to use again
    };

    void begin_step(const PeerStep& step);
    static GuessedInput noted(std::size_t step, const isotick_input& input);
    void note(const isotick_input& input, bool guessed);
    void drop(Latest& latest);  // its tick is run again, or was never confirmed

    const SessionInputs& inputs_;
    std::vector<std::uint32_t> owner_;
    Course course_;
    std::vector<Latest> latest_;  // of tick t at t modulo its size
    std::uint64_t tick_ = 0;      // behind the latest step
};

}  // namespace isotick::harness
