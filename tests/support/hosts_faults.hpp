#pragma once
// Faults that only an unusual host shows: one that calls in another way, or is another process.

#include <cstdint>

namespace isotick::tests {

/// A local variable that nothing has written, deep enough that few calls reach it.
[[nodiscard]] std::uint64_t unwritten_local();

/// The last bits of a third and of a tenth, as the processor rounds.
[[nodiscard]] std::uint64_t bits_as_rounded();
/// Whether half of the least normal number is zero.
[[nodiscard]] bool loses_denormals();
/// Whether long double is no more precise than float.
[[nodiscard]] bool has_short_long_double();

/// Whether this locale writes a half in another way than C.
[[nodiscard]] bool writes_a_comma();

/// Whether a file called `name` is where the process is.
[[nodiscard]] bool has_file_here(const char* name);

/// The number of a file that is opened now.
[[nodiscard]] int next_descriptor();

/// The processor's timestamp counter; 0 where none is known here.
[[nodiscard]] std::uint64_t cycles();

/// A random number of the system.
[[nodiscard]] std::uint64_t draw_what_counts();
/// Draws one and forgets it.
void draw_in_vain();

/// Whether it reads the counter as all do who handle signals, start threads and programs, and still
/// gets its own faults.
[[nodiscard]] bool reads_cycles_among_signals();

/// Of two mappings that are made one after the other.
[[nodiscard]] bool maps_upward();

}  // namespace isotick::tests
