#pragma once
// The library that workers load before all others, and the clock that isotick itself reads.

#include "page.hpp"
#include "posix.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/system_reads.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace isotick::harness::preload {

// The library that is loaded into worker processes before all others, and what it answers there in
// the place of the system (interposed/).

/// Whether this build has the library, and this machine can load it.
[[nodiscard]] bool is_available();

/// The library as a file without a name. Only where it is available.
[[nodiscard]] core::Result<FileDescriptor> library_file();

/// In a worker, or in a copy of it: the system answers by `settings` from now on, here and in the
/// processes that are started from here. Fails with `usage` where the library is not loaded, unless
/// nothing is to change.
[[nodiscard]] core::Result<void> begin(const Settings& settings);

/// While a trial is under way: what `settings` have and those before them had not begins now.
/// Clocks go on from what they show, but for the date. Does nothing where the library is not
/// loaded.
void change(const Settings& settings);

/// What this process shares with copies of it, as it was: the settings, and what the system was
/// asked for. A copy that has ended leaves nothing behind once that is restored.
class Kept {
  public:
    Kept();
    void restore() const;

  private:
    struct SeenPlaces {
        std::uint32_t looks = 0;
        std::array<std::uint32_t, Places::kMost> states{};
        void take(const Places& places);
        void give_back(Places& places) const;
    };
    struct Seen {
        std::uint64_t count = 0;
        SeenPlaces creating;
        SeenPlaces later;
    };
    std::uint32_t armed_ = 0;
    Settings settings_;
    std::uint32_t calls_used_ = 0;
    std::array<Seen, kSources> seen_{};
};

/// While one lives, what its thread asks the system for is isotick's own affair: it is neither
/// changed nor counted.
class Unseen {
  public:
    Unseen();
    ~Unseen();
    Unseen(const Unseen&) = delete;
    Unseen& operator=(const Unseen&) = delete;
};

/// What this process, and those that it has started, have asked the system for so far.
[[nodiscard]] std::vector<SystemReads> reads();

}  // namespace isotick::harness::preload

namespace isotick::harness {

// A clock that no axis changes: for what a worker does itself while a simulation sees another one.

struct OwnClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<OwnClock>;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now();
};

}  // namespace isotick::harness
