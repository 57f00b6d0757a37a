#pragma once
// A place in a session: its peer, and the course that is written down.

#include "peer_driver.hpp"
#include "session_inputs.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/harness/detail/course.hpp>
#include <isotick/harness/detail/session_course.hpp>
#include <isotick/harness/peer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace isotick::harness {

// Writes down what a peer does, as a course.

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

// The place of one peer in a session, and whoever sits there.

/// A peer that is there: its protocol and its frames, its clock, what it has done.
struct Seated {
    PeerDriver driver;
    std::int64_t clock_ns = 0;  ///< its own, when its latest frame began
    CourseWriter course;
    PeerRun run;
    std::size_t id = 0;  ///< of the run, among the session's

    bool leaving = false;

    [[nodiscard]] bool is_over() const {
        const PeerState state = driver.peer.state();
        return state != PeerState::running && state != PeerState::joining;
    }
};

struct Seat {
    std::uint32_t number = 0;
    std::uint32_t next_incarnation = 0;
    std::unique_ptr<Seated> seated;  ///< null: nobody is there
    std::vector<PeerFault> faults;
    std::uint64_t kept_until = 0;           ///< PeerFault::keeps_leaver
    std::vector<core::Bytes> last_packets;  ///< that it sent to each peer, where it is faulty

    [[nodiscard]] bool has(PeerFault fault) const {
        for (const PeerFault one : faults) {
            if (one == fault) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace isotick::harness
