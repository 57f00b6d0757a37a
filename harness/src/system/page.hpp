#pragma once
// What a worker and the library that is loaded into it before all others (preload/interposed) share
// with the parent: how far a trial has come, what the library is to change, what it has seen.

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
    std::uint64_t cores = 0;            ///< that are seen; 0: as usual
    std::uint64_t yields = 0;           ///< seed of waits where threads meet; 0: none
    std::uint64_t counter = 0;          ///< seed of the timestamp counter; 0: as usual
    friend bool operator==(const Settings&, const Settings&) = default;
};

/// Where a call came from.
struct Site {
    std::array<char, 120> file{};  ///< path of the program or library; cut if longer
    std::uint64_t offset = 0;      ///< of the address behind the call, from where it is loaded
};

inline constexpr std::size_t kMostSites = 12;

/// A call, where there was one. All else is written before `state` is 2.
struct Call {
    std::atomic<std::uint32_t> state{0};  ///< 0: none, 1: being written, 2: written
    std::uint32_t activity = 0;
    std::uint64_t tick = 0;
    std::array<char, 32> name{};  ///< `clock_gettime`
    std::uint64_t sites_count = 0;
    std::array<Site, kMostSites> sites{};  ///< the innermost first
};

/// How often a source was asked, and the first calls.
struct Reads {
    std::atomic<std::uint64_t> count{0};
    Call creating;  ///< while the simulation is created
    Call later;
};

/// Lives in a file that the parent makes. `settings` are written by the process of the trial before
/// `armed` is set.
struct Page {
    Progress progress;
    std::atomic<std::uint32_t> armed{0};
    Settings settings;
    std::array<Reads, kSources> reads{};

    /// For the next request.
    void reset() {
        armed = 0;
        settings = {};
        for (Reads& one : reads) {
            one.count = 0;
            one.creating.state = 0;
            one.later.state = 0;
        }
    }
};

/// The variable that holds the path of the page's file.
inline constexpr const char* kPageVariable = "ISOTICK_PAGE";

}  // namespace isotick::harness::preload
