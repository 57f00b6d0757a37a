#pragma once
// What a worker and the library that is loaded into it before all others (preload/interposed) share
// with the parent: how far a trial has come, what the library is to change, what it has seen.

#include "last_stack.hpp"

#include <isotick/harness/detail/progress.hpp>
#include <isotick/harness/detail/system_reads.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace isotick::harness::preload {

/// What answers of the system a trial changes. All zero: none.
struct Settings {
    std::int64_t date = 0;        ///< seconds since 1970 that the clock shows at first; 0: as usual
    std::uint64_t pace = 100;     ///< of the clocks, in percent
    std::uint64_t chance = 0;     ///< seed of random numbers; 0: as usual
    std::uint64_t heap_fill = 0;  ///< byte of fresh memory; 0: as usual
    std::uint64_t heap_order = 0;       ///< seed of where blocks lie; 0: as usual
    std::uint64_t names = 0;            ///< seed of host and user names; 0: as usual
    std::uint64_t directory_order = 0;  ///< seed; 0: as usual
    std::uint64_t containers = 0;       ///< seed of orders of unordered containers; 0: as usual
    std::uint64_t cores = 0;            ///< that are seen; 0: as usual
    std::uint64_t yields = 0;           ///< seed of waits where threads meet; 0: none
    std::uint64_t counter = 0;          ///< seed of the timestamp counter; 0: as usual
    std::uint64_t usual_place = 0;      ///< one of Places::places: random numbers as usual; 0: none
    friend bool operator==(const Settings&, const Settings&) = default;
};

inline constexpr std::size_t kMostSites = 12;

/// A call. All is written before its state in Places is kWritten.
struct Call {
    std::uint32_t activity = 0;
    std::uint64_t tick = 0;
    std::array<char, 32> name{};  ///< `clock_gettime`
    std::uint64_t sites_count = 0;
    std::array<Site, kMostSites> sites{};  ///< the innermost first
};

/// From where a source was asked. Stacks, which tell the places apart, are looked at in the first
/// kFirstLooks calls, then once a tick, and when a function of another name is called.
struct Places {
    static constexpr std::size_t kMost = 4;
    static constexpr std::uint32_t kFirstLooks = 32;
    static constexpr std::uint32_t kMostLooks = 256;
    enum State : std::uint32_t { kFree, kTaken, kWritten };
    std::atomic<std::uint32_t> looks{0};
    std::atomic<std::uint64_t> looked_in{0};  ///< tick
    std::array<std::atomic<std::uint32_t>, kMost> states{};
    std::array<std::uint64_t, kMost> places{};  ///< a hash of the function's name and its sites
    std::array<std::uint32_t, kMost> calls{};   ///< the first from there: its index in Page::calls
};

/// How often a source was asked, and from where.
struct Reads {
    std::atomic<std::uint64_t> count{0};
    Places creating;  ///< while the simulation is created
    Places later;
};

/// Lives in a file that the parent makes. `settings` are written by the process of the trial before
/// `armed` is set.
struct Page {
    Progress progress;
    std::atomic<std::uint32_t> armed{0};
    Settings settings;
    std::array<Reads, kSources> reads{};
    std::atomic<std::uint32_t> calls_used{0};
    std::array<Call, 16> calls{};
    LastStack last_stack;

    /// For the next request.
    void reset() {
        armed = 0;
        settings = {};
        calls_used = 0;
        last_stack.count = 0;
        for (Reads& one : reads) {
            one.count = 0;
            for (Places* places : {&one.creating, &one.later}) {
                places->looks = 0;
                for (auto& state : places->states) {
                    state = Places::kFree;
                }
            }
        }
    }
};

/// The variable that holds the path of the page's file.
inline constexpr const char* kPageVariable = "ISOTICK_PAGE";

/// The variable that holds the path of the file to note in what is read: each note a letter (`f`: a
/// file, a folder or a library by its absolute path; `v`: a variable of the environment), the name
/// and a zero.
inline constexpr const char* kNotesVariable = "ISOTICK_NOTES";

/// Noted as read where the names of the machine or of the user were asked for.
inline constexpr const char* kHostNameFile = "/proc/sys/kernel/hostname";

}  // namespace isotick::harness::preload
