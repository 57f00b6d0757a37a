#include "hosts_faults.hpp"

#include <array>
#include <bit>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <thread>
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

__attribute__((noinline)) std::uint64_t draw_what_counts() {
    std::uint64_t drawn = 0;
    return getentropy(&drawn, sizeof drawn) == 0 ? drawn : 0;
}

__attribute__((noinline)) void draw_in_vain() {
    volatile std::uint64_t forgotten = draw_what_counts();
    (void)forgotten;
}

__attribute__((noinline)) std::uint64_t cycles() {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

namespace {

sigjmp_buf behind_fault;

void leave(int) {
    siglongjmp(behind_fault, 1);
}

bool gets_its_own_faults() {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = leave;
    sigaction(SIGSEGV, &action, &before);
    volatile bool caught = false;
    if (sigsetjmp(behind_fault, 1) == 0) {
        volatile int* const nowhere = nullptr;
        (void)*nowhere;
    } else {
        caught = true;
    }
    (void)cycles();  // is no fault of ours
    sigaction(SIGSEGV, &before, nullptr);
    return caught;
}

}  // namespace

bool reads_cycles_among_signals() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    const bool gets_faults = gets_its_own_faults();
    pthread_sigmask(SIG_BLOCK, &all, &before);
    std::thread([] { (void)cycles(); }).join();
    (void)cycles();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return gets_faults && std::system("true") == 0;
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
