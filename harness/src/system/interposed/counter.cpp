// The timestamp counter of x86 processors, which programs read without asking the system: where a
// trial changes it, the processor is told to refuse (PR_SET_TSC), and its fault is answered here.

#include "library.hpp"

#ifdef __x86_64__

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <elf.h>
#include <pthread.h>
#include <spawn.h>
#include <ucontext.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/prctl.h>

namespace isotick::harness::preload {
namespace {

// What a child behind a fork may call, where it must not wait for the loader: looked for at first.
struct {
    decltype(&::sigaction) sigaction;
    decltype(&::pthread_sigmask) pthread_sigmask;
    decltype(&::execve) execve;
    decltype(&::execvp) execvp;
} found{};

__attribute__((constructor)) void find() {
    found = {next<decltype(::sigaction)>("sigaction"),
             next<decltype(::pthread_sigmask)>("pthread_sigmask"),
             next<decltype(::execve)>("execve"), next<decltype(::execvp)>("execvp")};
}

// Other libraries may begin before this one.
auto& system_calls() {
    if (found.execve == nullptr) {
        find();
    }
    return found;
}

struct sigaction theirs {};  // what the program does about other faults
std::atomic<bool> refused{false};
std::atomic<std::uint64_t> counter_looks{0};

// Of the calling thread, and of those that it starts.
void refuse(bool refuses) {
    prctl(PR_SET_TSC, refuses ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
}

bool is_changed() {
    return page() != nullptr && page()->armed.load(std::memory_order_acquire) != 0 &&
           page()->settings.counter != 0;
}

// Another beginning and another pace for each seed; each look moves it on, and nothing else does.
std::uint64_t shown(std::uint64_t seed) {
    constexpr std::uint64_t kLeastStep = 100'000;
    const std::uint64_t step = kLeastStep * (1 + mixed(seed, 1) % 9);
    return (mixed(seed, 0) >> 3U) + step * ++counter_looks;
}

std::uint64_t real() {
    refuse(false);
    const std::uint64_t now = __builtin_ia32_rdtsc();
    refuse(true);
    return now;
}

// The system's own clocks are computed from the counter, in a page of code that it maps.
bool is_of_clock(std::uintptr_t address) {
    static std::uintptr_t begin = 0;
    static std::uintptr_t size = 0;
    if (begin == 0) {
        begin = getauxval(AT_SYSINFO_EHDR);
        if (begin == 0) {
            return false;
        }
        const auto* header = reinterpret_cast<const Elf64_Ehdr*>(begin);
        const auto* parts = reinterpret_cast<const Elf64_Phdr*>(begin + header->e_phoff);
        for (int i = 0; i < header->e_phnum; ++i) {
            size = parts[i].p_type == PT_LOAD ? parts[i].p_vaddr + parts[i].p_memsz : size;
        }
    }
    return address - begin < size;
}

void set_register(greg_t& to, std::uint64_t value) {
    to = static_cast<greg_t>(value & 0xFFFFFFFFU);
}

// Whether it was a look at the counter, which has then been answered.
bool answer(ucontext_t& context) {
    auto& registers = context.uc_mcontext.gregs;
    const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
    const bool is_rdtsc = code[0] == 0x0F && code[1] == 0x31;
    const bool is_rdtscp = code[0] == 0x0F && code[1] == 0x01 && code[2] == 0xF9;
    if (!is_rdtsc && !is_rdtscp) {
        return false;
    }
    if (!is_changed()) {
        refuse(false);  // the trial is over: what follows reads it as usual
        return true;
    }
    const std::uint64_t seed = settings().counter;  // 0: this thread is not to notice
    const bool is_real = seed == 0 || is_of_clock(static_cast<std::uintptr_t>(registers[REG_RIP]));
    registers[REG_RIP] += is_rdtscp ? 3 : 2;
    if (!is_real) {
        note_interrupted(Source::counter, is_rdtscp ? "rdtscp" : "rdtsc",
                         static_cast<std::uintptr_t>(registers[REG_RIP]));
    }
    const std::uint64_t now = is_real ? real() : shown(seed);
    set_register(registers[REG_RAX], now);
    set_register(registers[REG_RDX], now >> 32U);
    if (is_rdtscp) {
        set_register(registers[REG_RCX], 0);  // which processor it is
    }
    return true;
}

void pass_on(int signal, siginfo_t* info, void* context) {
    if ((theirs.sa_flags & SA_SIGINFO) != 0) {
        theirs.sa_sigaction(signal, info, context);
    } else if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) {
        theirs.sa_handler(signal);
    } else {  // the same fault again ends the process, as it would have
        system_calls().sigaction(signal, &theirs, nullptr);
    }
}

void handle(int signal, siginfo_t* info, void* context) {
    const bool is_refusal = info->si_code == SI_KERNEL;  // one that has no address
    if (!is_refusal || !answer(*static_cast<ucontext_t*>(context))) {
        pass_on(signal, info, context);
    }
}

// A child reads it as usual, so that it may start a program; a trial in it begins by itself.
void allow_in_child() {
    refuse(false);
}

// Programs that are started would be refused, too, before any library of theirs is there.
class Allowed {
  public:
    Allowed() {
        if (refused) {
            refuse(false);
        }
    }
    ~Allowed() {
        if (refused && is_changed()) {
            refuse(true);
        }
    }
    Allowed(const Allowed&) = delete;
    Allowed& operator=(const Allowed&) = delete;
};

// Where the fault is held back, the processor's refusal ends the process.
sigset_t let_through(const sigset_t& signals) {
    sigset_t others = signals;
    sigdelset(&others, SIGSEGV);
    return others;
}

}  // namespace

void begin_counter() {
    if (!is_changed()) {
        return;
    }
    counter_looks = 0;
    if (!refused.exchange(true)) {
        struct sigaction ours {};
        ours.sa_sigaction = handle;
        ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        system_calls().sigaction(SIGSEGV, &ours, &theirs);
        pthread_atfork(nullptr, nullptr, allow_in_child);
    }
    refuse(true);
}

}  // namespace isotick::harness::preload

using namespace isotick::harness::preload;

ISOTICK_INTERPOSED int sigaction(int signal, const struct sigaction* action,
                                 struct sigaction* before) noexcept {
    if (!refused) {
        return system_calls().sigaction(signal, action, before);
    }
    if (signal == SIGSEGV) {
        if (before != nullptr) {
            *before = theirs;
        }
        if (action != nullptr) {
            theirs = *action;
        }
        return 0;
    }
    struct sigaction changed {};
    if (action != nullptr) {
        changed = *action;
        changed.sa_mask = let_through(changed.sa_mask);
    }
    return system_calls().sigaction(signal, action == nullptr ? nullptr : &changed, before);
}

ISOTICK_INTERPOSED sighandler_t signal(int signal, sighandler_t handler) noexcept {
    ISOTICK_NEXT(signal)
    if (!refused || signal != SIGSEGV) {
        return next_signal(signal, handler);
    }
    const sighandler_t before = theirs.sa_handler;
    theirs = {};
    theirs.sa_handler = handler;
    return before;
}

ISOTICK_INTERPOSED int pthread_sigmask(int how, const sigset_t* signals,
                                       sigset_t* before) noexcept {
    if (!refused || signals == nullptr || how == SIG_UNBLOCK) {
        return system_calls().pthread_sigmask(how, signals, before);
    }
    const sigset_t others = let_through(*signals);
    return system_calls().pthread_sigmask(how, &others, before);
}

ISOTICK_INTERPOSED int sigprocmask(int how, const sigset_t* signals, sigset_t* before) noexcept {
    const int error = pthread_sigmask(how, signals, before);
    errno = error == 0 ? errno : error;
    return error == 0 ? 0 : -1;
}

ISOTICK_INTERPOSED int system(const char* command) {
    const Allowed allowed;
    ISOTICK_NEXT(system)
    return next_system(command);
}

ISOTICK_INTERPOSED FILE* popen(const char* command, const char* mode) {
    const Allowed allowed;
    ISOTICK_NEXT(popen)
    return next_popen(command, mode);
}

// Behind a fork it is allowed already, not behind a vfork.
ISOTICK_INTERPOSED int execve(const char* path, char* const arguments[],
                              char* const environment[]) noexcept {
    const Allowed allowed;
    return system_calls().execve(path, arguments, environment);
}

ISOTICK_INTERPOSED int execv(const char* path, char* const arguments[]) noexcept {
    return execve(path, arguments, environ);
}

ISOTICK_INTERPOSED int execvp(const char* file, char* const arguments[]) noexcept {
    const Allowed allowed;
    return system_calls().execvp(file, arguments);
}

ISOTICK_INTERPOSED int posix_spawn(pid_t* process, const char* path,
                                   const posix_spawn_file_actions_t* actions,
                                   const posix_spawnattr_t* attributes, char* const arguments[],
                                   char* const environment[]) {
    const Allowed allowed;
    ISOTICK_NEXT(posix_spawn)
    return next_posix_spawn(process, path, actions, attributes, arguments, environment);
}

ISOTICK_INTERPOSED int posix_spawnp(pid_t* process, const char* file,
                                    const posix_spawn_file_actions_t* actions,
                                    const posix_spawnattr_t* attributes, char* const arguments[],
                                    char* const environment[]) {
    const Allowed allowed;
    ISOTICK_NEXT(posix_spawnp)
    return next_posix_spawnp(process, file, actions, attributes, arguments, environment);
}

#else

namespace isotick::harness::preload {

void begin_counter() {}

}  // namespace isotick::harness::preload

#endif
