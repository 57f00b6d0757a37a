#include "last_stack.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define ISOTICK_NOTES_LAST_STACK 1
#include <ucontext.h>

#include <sys/syscall.h>
#endif

namespace isotick::harness {

#ifdef ISOTICK_NOTES_LAST_STACK

namespace {

constexpr std::array kFatalSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
constexpr std::size_t kStackSize = std::size_t{1} << 16U;

LastStack* noted_in = nullptr;
pid_t noting = 0;                                           // not the copies of this process
alignas(16) std::array<std::byte, kStackSize> spare_stack;  // where the usual one is used up

// Not by way of the library, where a simulation's calls are counted.
pid_t own_id() {
    return static_cast<pid_t>(syscall(SYS_getpid));
}

std::uintptr_t interrupted_at(const ucontext_t& context) {
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#else
    return context.uc_mcontext.pc;
#endif
}

// As if the call that has just been made had returned.
void return_in(ucontext_t& context) {
#if defined(__x86_64__)
    auto& registers = context.uc_mcontext.gregs;
    registers[REG_RIP] = *reinterpret_cast<const greg_t*>(registers[REG_RSP]);
    registers[REG_RSP] += static_cast<greg_t>(sizeof(greg_t));
#else
    context.uc_mcontext.pc = context.uc_mcontext.regs[30];
#endif
}

// Unwinding reads the registers from the context.
CallStack stack_of(ucontext_t& context) {
    const std::uintptr_t at = interrupted_at(context);
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(at), &info) == 0) {  // a bad pointer was called
        const auto before = context.uc_mcontext;
        return_in(context);
        const CallStack stack = call_stack_from(interrupted_at(context));
        context.uc_mcontext = before;
        return stack;
    }
    CallStack stack = call_stack_from(at);
    ++stack.addresses[0];  // behind where an instruction begins, as others are behind a call
    return stack;
}

void note(ucontext_t& context) {
    const CallStack stack = stack_of(context);
    for (std::size_t i = 0; i < stack.count; ++i) {
        describe_site(stack.addresses[i], noted_in->sites[i]);
    }
    noted_in->count.store(static_cast<std::uint32_t>(stack.count), std::memory_order_release);
}

void on_signal(int signal, siginfo_t*, void* context) {
    const int error = errno;
    if (own_id() == noting && noted_in->count == 0) {
        note(*static_cast<ucontext_t*>(context));
    }
    errno = error;
    if (signal != kAskForStack) {
        struct sigaction usual {};
        usual.sa_handler = SIG_DFL;
        sigaction(signal, &usual, nullptr);
        raise(signal);  // comes when this handler has returned
    }
}

void handle(int signal, int flags) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) {
        return;
    }
    struct sigaction ours {};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
    sigaction(signal, &ours, nullptr);
}

}  // namespace

void note_last_stack(LastStack& stack) {
    noted_in = &stack;
    noting = own_id();
    stack_t spare{};
    spare.ss_sp = spare_stack.data();
    spare.ss_size = spare_stack.size();
    sigaltstack(&spare, nullptr);
    for (const int signal : kFatalSignals) {
        handle(signal, 0);
    }
    handle(kAskForStack, SA_RESTART);
}

#else

void note_last_stack(LastStack&) {}

#endif

std::vector<CallSite> sites_of(const LastStack& stack) {
    const std::size_t count = stack.count.load(std::memory_order_acquire);
    std::vector<CallSite> sites;
    for (const Site& noted : std::span(stack.sites).first(std::min(count, stack.sites.size()))) {
        CallSite site = call_site_of(noted);
        if (access(site.file.c_str(), R_OK) == 0) {
            sites.push_back(std::move(site));
        }
    }
    return sites;
}

CallSite call_site_of(const Site& site) {
    return {std::string(site.file.data(), strnlen(site.file.data(), site.file.size())),
            site.offset};
}

}  // namespace isotick::harness
