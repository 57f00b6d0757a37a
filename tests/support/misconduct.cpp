#include "misconduct.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>

namespace isotick::tests {
namespace {

constexpr std::size_t kBlock = std::size_t{16} << 20;

// Not in a loop's condition as a constant, so that no compiler may assume that it ends.
volatile bool for_ever = true;

int overflow_stack(int depth) {
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    return for_ever ? overflow_stack(depth + 1) + frame[0] : 0;
}

void eat_memory() {
    std::vector<std::unique_ptr<char[]>> eaten;
    while (for_ever) {
        eaten.push_back(std::make_unique_for_overwrite<char[]>(kBlock));
    }
}

void call_nothing() {
    void (*volatile nothing)() = nullptr;
    nothing();
    for_ever = true;  // so that it is a call, and no jump
}

// A process that the simulation starts crashes elsewhere, before the simulation does.
void crash_after_child() {
    const pid_t child = fork();
    if (child == 0) {
        call_nothing();
    }
    waitpid(child, nullptr, 0);
    std::abort();  // this process
}

// As fast as the machine can, up to 3 GiB: a test must not take the machine with it.
constexpr int kMostBlocks = 192;

void eat_shared_memory() {
    for (int i = 0; i < kMostBlocks; ++i) {
        void* block =
            mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            throw std::bad_alloc();
        }
        std::memset(block, 1, kBlock);
    }
    pause();
}

void eat_files() {
    const std::vector<char> block(kBlock, 'x');
    for (int i = 0; i < kMostBlocks; ++i) {
        const int file = memfd_create("eaten", MFD_CLOEXEC);
        if (write(file, block.data(), block.size()) != static_cast<ssize_t>(block.size())) {
            throw std::bad_alloc();
        }
    }
    pause();
}

void free_twice() {
    void* volatile block = std::malloc(100);
    std::free(block);
    std::free(block);  // again
    for_ever = true;   // so that it is a call, and no jump
}

void corrupt_heap() {
    constexpr std::ptrdiff_t kHead = 16;  // what the allocator itself keeps of a block
    void* volatile block = std::malloc(100);
    auto* const head =
        static_cast<volatile char*>(block) - kHead;  // else never written: it is freed
    for (std::ptrdiff_t i = 0; i < kHead; ++i) {
        head[i] = '\x7f';
    }
    std::free(block);
}

void resize_files(off_t size) {
    for (int file = 3; file < 64; ++file) {
        (void)!ftruncate(file, size);
    }
}

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

void fill_memory(unsigned char* from, const unsigned char* to, const std::string& with) {
    constexpr const char* kSeed = "seed:";
    const bool random = with.rfind(kSeed, 0) == 0;
    std::uint64_t state = random ? std::stoull(with.substr(std::strlen(kSeed))) : 0;
    const auto number = random ? 0 : static_cast<std::int32_t>(std::stoll(with));
    for (; from + sizeof number <= to; from += sizeof number) {
        const auto word = random ? static_cast<std::int32_t>(next_random(state)) : number;
        std::memcpy(from, &word, sizeof word);
    }
}

// What other processes have mapped too: files in memory that isotick made.
void fill_shared_page(const std::string& with) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
        char access[5] = "";
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, access) == 3 &&
            std::string_view(access) == "rw-s" && line.find("memfd:isotick") != line.npos) {
            fill_memory(reinterpret_cast<unsigned char*>(from),
                        reinterpret_cast<unsigned char*>(to), with);
        }
    }
}

void leave_process() {
    if (fork() == 0) {
        while (for_ever) {
            pause();
        }
    }
}

void leave_daemons() {
    constexpr int kDaemons = 72;
    for (int i = 0; i < kDaemons; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            setsid();
            leave_process();
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    }
}

void wait_for_ever() {
    while (for_ever) {
        pause();
    }
}

using Misdeed = void (*)(const std::string& with);

struct NamedMisdeed {
    std::string_view name;
    Misdeed what;
};
// A map, built by the first step that goes wrong, would be most of what is traced of that step.
constexpr auto kMisdeeds = std::to_array<NamedMisdeed>(
    {{"abort", [](const auto&) { std::abort(); }},
     {"segfault", [](const auto&) { std::raise(SIGSEGV); }},
     {"null", [](const auto&) { call_nothing(); }},
     {"child-crash", [](const auto&) { crash_after_child(); }},
     {"stack", [](const auto&) { overflow_stack(0); }},
     {"kill", [](const auto&) { std::raise(SIGKILL); }},
     {"signal", [](const auto& with) { std::raise(std::stoi(with)); }},
     {"exit", [](const auto&) { std::exit(0); }},
     {"quick-exit", [](const auto&) { _exit(0); }},
     {"throw", [](const auto&) { throw std::runtime_error("planted"); }},
     {"throw-int", [](const auto&) { throw 1; }},
     {"double-free", [](const auto&) { free_twice(); }},
     {"corrupt-heap", [](const auto&) { corrupt_heap(); }},
     {"hang",
      [](const auto&) {
          while (for_ever) {
          }
      }},
     {"wait", [](const auto&) { wait_for_ever(); }},
     {"stop", [](const auto&) { std::raise(SIGSTOP); }},
     {"memory", [](const auto&) { eat_memory(); }},
     {"shared-memory", [](const auto&) { eat_shared_memory(); }},
     {"files", [](const auto&) { eat_files(); }},
     {"close-all", [](const auto&) { close_range(0, ~0U, 0); }},
     {"truncate", [](const auto&) { resize_files(0); }},
     {"grow", [](const auto&) { resize_files(off_t{1} << 60); }},
     {"page", [](const auto& with) { fill_shared_page(with); }},
     {"kill-parent", [](const auto&) { kill(getppid(), SIGKILL); }},
     {"stop-parent", [](const auto&) { kill(getppid(), SIGSTOP); }},
     {"daemons", [](const auto&) { leave_daemons(); }},
     {"child", [](const auto&) { leave_process(); }},
     {"thread", [](const auto&) { std::thread(wait_for_ever).detach(); }},
     {"say", [](const auto&) { std::puts("said"); }}});

}  // namespace

void misbehave(const std::string& names, const std::string& with) {
    for (std::size_t from = 0; from <= names.size();) {
        const std::size_t to = std::min(names.find('+', from), names.size());
        const auto name = std::string_view(names).substr(from, to - from);
        if (const auto* const one = std::ranges::find(kMisdeeds, name, &NamedMisdeed::name);
            one != kMisdeeds.end()) {
            one->what(with);
        }
        from = to + 1;
    }
}

}  // namespace isotick::tests
