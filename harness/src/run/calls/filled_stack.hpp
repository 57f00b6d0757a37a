#pragma once
// What uninitialized local variables find.

#include <cstddef>
#include <cstdint>

namespace isotick::harness {

/// So much of the stack is filled: a quarter of what threads have at the least, with any libc, and
/// little enough that a call takes less than a microsecond longer.
inline constexpr std::size_t kFilledStack = 32 * 1024;

/// Leaves `byte` in the memory that the functions which the caller calls next have their local
/// variables in.
void fill_stack_below(std::uint8_t byte);

}  // namespace isotick::harness
