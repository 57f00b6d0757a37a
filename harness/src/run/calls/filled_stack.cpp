#include "filled_stack.hpp"

#include <array>
#include <cstring>

namespace isotick::harness {

// Memory of its own, which is the callees' after it returns: nothing below the stack pointer is
// touched. Sanitizers would take the local variable for one that is gone, or move it elsewhere.
__attribute__((noinline, no_sanitize("address", "thread", "undefined"))) void fill_stack_below(
    std::uint8_t byte) {
    std::array<std::uint8_t, kFilledStack> memory;
    std::memset(memory.data(), byte, memory.size());
    // Or a compiler leaves out what nobody reads.
    asm volatile("" : : "r"(memory.data()) : "memory");
}

}  // namespace isotick::harness
