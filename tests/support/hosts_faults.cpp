#include "hosts_faults.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

#include <sys/mman.h>

namespace isotick::tests {

// Where it is, the compiler is told nothing of what it is.
__attribute__((noinline)) std::uint64_t unwritten_local() {
    constexpr std::size_t kSize = std::size_t{24} << 10;
    std::array<unsigned char, kSize> local;
    unsigned char* memory = local.data();
    asm volatile("" : "+r"(memory) : : "memory");
    return memory[kSize / 16];
}

std::uint64_t bits_as_rounded() {
    const volatile double one = 1;
    const volatile double third = one / 3;
    const volatile double tenth = one / 10;
    return std::bit_cast<std::uint64_t>(double{third}) +
           std::bit_cast<std::uint64_t>(double{tenth});
}

bool loses_denormals() {
    const volatile double least = std::numeric_limits<double>::min();
    const volatile double half = least / 2;
    return std::bit_cast<std::uint64_t>(double{half}) == 0;
}

bool has_short_long_double() {
    const volatile long double one = 1;
    const volatile long double third = one / 3;
    return third == static_cast<long double>(static_cast<float>(third));
}

bool writes_a_comma() {
    return std::strtod("0.5", nullptr) == 0;
}

bool has_file_here(const char* name) {
    return access(name, F_OK) == 0;
}

int next_descriptor() {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(file);
    return file;
}

bool maps_upward() {
    constexpr std::size_t kSize = std::size_t{1} << 20;
    std::array<void*, 2> mapped{};
    for (void*& one : mapped) {
        one = mmap(nullptr, kSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    const bool upward =
        std::bit_cast<std::uintptr_t>(mapped[0]) < std::bit_cast<std::uintptr_t>(mapped[1]);
    for (void* one : mapped) {
        munmap(one, kSize);
    }
    return upward;
}

}  // namespace isotick::tests
