#pragma once
// What uninitialized local variables find.

#include <cstddef>
#include <cstdint>

namespace isotick::harness {

/// So much of the stack is filled. Threads have twice that at the least, with any libc.
inline constexpr std::size_t kFilledStack = 64 * 1024;

/// Leaves `byte` in the memory that the functions which the caller calls next have their local
/// variables in.
void fill_stack_below(std::uint8_t byte);

}  // namespace isotick::harness
