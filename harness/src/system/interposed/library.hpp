#pragma once
// What the interposed functions share, and the raw call `syscall`.

#include "../next_function.hpp"
#include "../page.hpp"

#include <cstdint>

namespace isotick::harness::preload {

// Inside the library that is loaded before all others: what its parts share. It must do without the
// C++ library, without exceptions, and without allocating memory.

using harness::Source;

/// Null where this process has no page: then nothing is changed.
[[nodiscard]] Page* page();

/// What is to be changed; all zero until the trial has said so.
[[nodiscard]] const Settings& settings();

/// Counts a call. Returns its place if its stack was looked at (see Places; always, where
/// Settings::usual_place is set), else 0. The first call from each place is kept.
std::uint64_t note(Source source, const char* call);

/// The same in a signal handler: where the call came from is `address` and what called that.
std::uint64_t note_interrupted(Source source, const char* call, std::uintptr_t address);

/// Which call for random numbers is left as usual, if any: the one under way, or its caller.
enum class AsUsual : std::uint8_t { no, this_call, call_around };

/// Lives as long as a call for random numbers does. If that comes from Settings::usual_place, it is
/// left as usual.
class AskedForChance {
  public:
    explicit AskedForChance(const char* call);
    ~AskedForChance();
    AskedForChance(const AskedForChance&) = delete;
    AskedForChance& operator=(const AskedForChance&) = delete;

  private:
    AsUsual before_;
};

/// Whether the call under way itself, not its caller, is left as usual. Settings change nothing.
[[nodiscard]] bool is_left_as_usual();

using harness::next;

/// A number between 0 and 2^64 that depends on both.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed + (number + 1) * 0x9E3779B97F4A7C15U;  // SplitMix64
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

/// Of the calling thread: see preload::Unseen.
void change_unseen(int by);
[[nodiscard]] bool is_unseen();

// Notes what the process reads, if kNotesVariable names a file for that.
void begin_notes();
void note_libraries();
void note_variable(const char* name);
/// `folder`: what the path is relative to, as openat takes it.
void note_path(int folder, const char* path);

/// What a clock that counts from some moment shows at first.
enum class Shown : std::uint8_t { by_date, as_before };

// What begins with the trial, in a process that it starts, or on the way.
void begin_clock(Shown shown);
void begin_chance();
void begin_heap();
void begin_names();
void begin_counter();

}  // namespace isotick::harness::preload

/// For functions that take the place of the system's.
#define ISOTICK_INTERPOSED extern "C" __attribute__((visibility("default")))
