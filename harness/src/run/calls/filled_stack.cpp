#include "filled_stack.hpp"

#include <array>

namespace isotick::harness {

// Memory of its own, which is the callees' after it returns: nothing below the stack pointer is
// touched. Sanitizers would take the local variable for one that is gone, or move it elsewhere.
#if defined(__GNUC__)
__attribute__((noinline, no_sanitize("address", "thread", "undefined")))
#endif
void fill_stack_below(std::uint8_t byte) {
    std::array<volatile std::uint64_t, kFilledStack / sizeof(std::uint64_t)> memory;
    constexpr std::uint64_t kEachByte = 0x0101010101010101;
    volatile std::uint64_t* const begin = memory.data();
    for (std::size_t i = 0; i < memory.size(); ++i) {
        begin[i] = byte * kEachByte;
    }
}

}  // namespace isotick::harness
