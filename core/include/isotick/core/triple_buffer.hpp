#pragma once
// Handing the latest two states from the thread that simulates to the one that renders: the
// producer and consumer that the comments on Fiedler's "Fix Your Timestep!" ask for ("version 2.0",
// 21 February 2010), without a lock. Neither side ever waits for the other.

#include <isotick/core/time.hpp>

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace isotick::core {

/// What a renderer blends: the states after `ticks_done` - 1 and after `ticks_done` ticks; twice
/// the first one before tick 0.
template <class State>
struct LatestStates {
    State previous;
    State current;
    std::uint64_t ticks_done = 0;
};

/// One thread publishes, one other takes. Each publish hands over a whole pair of states; a pair
/// that nobody took before the next one came is dropped. Triple buffering: the writer owns one
/// buffer, the reader one, and the third changes hands in one atomic exchange, so both sides are
/// wait-free and never see half a pair. A publish costs two copies of the state by assignment:
/// states that keep their memory when assigned to (vectors of steady size) allocate nothing. Both
/// threads may read one state at the same time: its const members must allow that.
///
/// Holds three pairs. Neither copyable nor movable; must outlive both threads' use of it.
template <std::copyable State>
class TripleBuffer {
  public:
    explicit TripleBuffer(const State& initial)
        : buffers_{Pair{{initial, initial, 0}}, Pair{{initial, initial, 0}},
                   Pair{{initial, initial, 0}}} {}
    TripleBuffer(const TripleBuffer&) = delete;
    TripleBuffer& operator=(const TripleBuffer&) = delete;

    /// The simulation's thread only: `current` is the state after one more tick.
    void publish(const State& current) {
        // Nobody writes to the buffer that was published last, so both may read it.
        const LatestStates<State>& last = buffers_[last_].states;
        LatestStates<State>& written = buffers_[written_].states;
        written.previous = last.current;
        written.current = current;
        written.ticks_done = last.ticks_done + 1;
        last_ = written_;
        written_ = middle_.exchange(written_ | kNew, std::memory_order_acq_rel) & kIndex;
    }

    /// The renderer's thread only: the latest pair, which stays as it is until the next call.
    [[nodiscard]] const LatestStates<State>& latest() {
        if ((middle_.load(std::memory_order_relaxed) & kNew) != 0) {
            read_ = middle_.exchange(read_, std::memory_order_acq_rel) & kIndex;
        }
        return buffers_[read_].states;
    }

  private:
    static constexpr std::size_t kCacheLine = 64;
    static constexpr unsigned kIndex = 3;
    static constexpr unsigned kNew = 4;  // the middle buffer holds what the reader has not seen

    struct alignas(kCacheLine) Pair {
        LatestStates<State> states;
    };

    std::array<Pair, 3> buffers_;
    unsigned written_ = 0;  // the writer's, and the one it published before
    unsigned last_ = 1;
    alignas(kCacheLine) std::atomic<unsigned> middle_{1};
    alignas(kCacheLine) unsigned read_ = 2;  // the reader's
};

/// Where between the two latest states a renderer of its own thread is, `now` nanoseconds after
/// tick 0 began: how far the tick after `ticks_done` has come, from 0 to below 1. It blends with
/// one tick of latency, as interpolation always does; a `now` before or long after the current
/// tick's time counts as its nearer end, since then the simulation is ahead or late.
[[nodiscard]] double alpha_at(TickRate rate, std::uint64_t ticks_done, std::int64_t now);

}  // namespace isotick::core
