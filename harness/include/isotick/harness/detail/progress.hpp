#pragma once
// How far a trial has come, readable from another process while it runs and after it crashed.

#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace isotick::harness {

/// What a trial is doing right now.
enum class Activity : std::uint32_t {
    starting,
    loading,
    creating,
    beginning_frame,
    stepping,
    hashing,
    showing_fields,
    rendering,
    proposing_input,
    describing_inputs,  ///< to learn what random ones may be
    destroying,
    saving,
    restoring,
    visiting,
};

/// Where in a trial something happened.
struct Place {
    Activity activity = Activity::starting;
    core::Tick tick;          ///< the one being worked on
    std::uint64_t steps = 0;  ///< that had been taken by then, the one under way included
    friend bool operator==(const Place&, const Place&) = default;
};

/// A block of atomics that may live in shared memory. One writer, any number of readers; each
/// member is exact on its own, the block as a whole is not a snapshot while the writer runs. It
/// tells how far a trial is, and decides nothing else: no member names a process, a file or a size
/// to another process.
struct Progress {
    std::atomic<std::uint64_t> beats{0};  ///< grows with every call into the simulation
    std::atomic<std::uint64_t> tick{0};   ///< the tick being worked on
    std::atomic<std::uint64_t> steps{0};  ///< of a trial: as in Place
    std::atomic<std::uint32_t> activity{0};
    std::atomic<std::uint32_t> ahead{0};    ///< 1: more calls are made than are answered
    std::atomic<std::uint32_t> cut_off{0};  ///< errno that cut it off from its parent; 0: none
    /// In a worker that is guarded, the socket over which its parent answers: else -1.
    std::atomic<std::int32_t> guard{-1};

    void enter(Activity what) { enter({what, core::Tick{tick}, steps}); }
    void enter(Activity what, core::Tick at) { enter({what, at, steps}); }
    void enter(const Place& place) {
        if (guard.load(std::memory_order_relaxed) >= 0) {
            ask_guard();
        }
        steps.store(place.steps, std::memory_order_relaxed);
        tick.store(place.tick.value, std::memory_order_relaxed);
        activity.store(static_cast<std::uint32_t>(place.activity), std::memory_order_relaxed);
        beats.store(beats.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    /// Ends this process, with `cut_off`, where its parent does not answer: the place is then the
    /// call in which the simulation closed the socket or killed the parent.
    void ask_guard();

    /// Foreign code may have written anything here: what is no activity is `starting`.
    [[nodiscard]] Place place() const {
        const std::uint32_t what = activity.load();
        return {what <= static_cast<std::uint32_t>(Activity::visiting) ? static_cast<Activity>(what)
                                                                       : Activity::starting,
                core::Tick{tick.load()}, steps.load()};
    }
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// `in step of tick 17`, `in hash after tick 17`, `while loading the simulation`.
[[nodiscard]] std::string describe(Activity activity, core::Tick tick);

/// A failure of the simulation that names no tick is told what `progress` says it was doing.
[[nodiscard]] core::Error with_place(core::Error error, const Progress& progress);

}  // namespace isotick::harness
