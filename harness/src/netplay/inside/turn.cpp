// The page, who is the peer, and handing the turn to the session and back.

#include "inside.hpp"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace isotick::harness::netplay {
namespace {

Page* mapped = nullptr;
std::int32_t own_process = 0;
bool peer = false;

std::int32_t process_now() {
    ISOTICK_NEXT(syscall)
    return static_cast<std::int32_t>(next_syscall(SYS_getpid));
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    ISOTICK_NEXT(syscall)
    return next_syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

// What calls the kernel itself gets no socket that leaves this machine: the library makes none of
// these families. A kernel without filters leaves that to the program.
void close_network() {
#if defined(__x86_64__)
    constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
    constexpr std::uint32_t kMachine = 0;
#endif
    constexpr auto kLoad = BPF_LD | BPF_W | BPF_ABS;
    constexpr auto kIsEqual = BPF_JMP | BPF_JEQ | BPF_K;
    constexpr auto kReturn = BPF_RET | BPF_K;
    constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
    sock_filter filter[] = {// NOLINT(modernize-avoid-c-arrays)
                            BPF_STMT(kLoad, offsetof(seccomp_data, arch)),
                            BPF_JUMP(kIsEqual, kMachine, 0, 7),
                            BPF_STMT(kLoad, offsetof(seccomp_data, nr)),
                            BPF_JUMP(kIsEqual, SYS_io_uring_setup, 6, 0),
                            BPF_JUMP(kIsEqual, SYS_socket, 0, 4),
                            BPF_STMT(kLoad, offsetof(seccomp_data, args[0])),
                            BPF_JUMP(kIsEqual, AF_INET, 3, 0),
                            BPF_JUMP(kIsEqual, AF_INET6, 2, 0),
                            BPF_JUMP(kIsEqual, AF_PACKET, 1, 0),
                            BPF_STMT(kReturn, SECCOMP_RET_ALLOW),
                            BPF_STMT(kReturn, kRefused)};
    const sock_fprog program{sizeof filter / sizeof filter[0], filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}

void await_copy() {
    ++mapped->forks;
}

// A copy of the peer is another process: what it asks for is answered by the system.
void leave_copy() {
    peer = false;
    own_process = process_now();
    for (auto& copy : mapped->copies) {
        std::int32_t nobody = 0;
        if (copy.compare_exchange_strong(nobody, own_process)) {
            break;
        }
    }
    ++mapped->arrived;
}

// It was a copy, and is another program now.
void be_no_copy() {
    for (auto& copy : mapped->copies) {
        std::int32_t self = own_process;
        copy.compare_exchange_strong(self, 0);
    }
}

__attribute__((constructor)) void begin() {
    const char* path = getenv(kPageVariable);
    if (path == nullptr) {
        return;
    }
    ISOTICK_NEXT(open)
    const int file = next_open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    void* const address = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ISOTICK_NEXT(close)
    next_close(file);
    if (address == MAP_FAILED) {
        return;
    }
    mapped = static_cast<Page*>(address);
    mapped->loaded = 1;
    own_process = process_now();
    be_no_copy();
    peer = mapped->owner == own_process;  // it has replaced its program
    pthread_atfork(await_copy, nullptr, leave_copy);
    close_network();
}

__attribute__((destructor)) void end() {
    if (peer && process_now() == own_process) {
        mapped->leaving = 1;
        mapped->turn = static_cast<std::uint32_t>(Turn::session);
        futex(mapped->turn, FUTEX_WAKE, 1);
    }
}

}  // namespace

Page* page() {
    return mapped;
}

bool is_peer() {
    return peer;
}

bool become_peer() {
    if (peer || mapped == nullptr) {
        return peer;
    }
    std::int32_t nobody = 0;
    peer = mapped->owner.compare_exchange_strong(nobody, own_process) || nobody == own_process;
    if (!peer) {
        refuse(Refused::second_process);
    }
    return peer;
}

void refuse(Refused reason) {
    if (mapped != nullptr) {
        std::uint32_t nothing = 0;
        mapped->refused.compare_exchange_strong(nothing, static_cast<std::uint32_t>(reason));
    }
}

bool give_turn(Waiting waiting, std::int64_t until, bool wakes_by_packet) {
    if (mapped->leaving != 0) {
        return false;
    }
    constexpr auto kSession = static_cast<std::uint32_t>(Turn::session);
    mapped->waiting = waiting;
    mapped->until_ns = until;
    mapped->wakes_by_packet = wakes_by_packet ? 1 : 0;
    mapped->turn.store(kSession, std::memory_order_release);
    futex(mapped->turn, FUTEX_WAKE, 1);
    while (mapped->turn.load(std::memory_order_acquire) == kSession) {
        futex(mapped->turn, FUTEX_WAIT, kSession);
    }
    const bool interrupted = mapped->interrupted != 0;
    mapped->interrupted = 0;
    return interrupted;
}

void send_packet(const PacketHead& head, const void* bytes) {
    if (!mapped->sent.has_room(head.size)) {
        give_turn(Waiting::nothing, mapped->now_ns, false);
        take_received();
    }
    Packets& sent = mapped->sent;
    std::memcpy(&sent.bytes[sent.used], &head, sizeof head);
    sent.used += sizeof head;
    if (head.size != 0) {
        std::memcpy(&sent.bytes[sent.used], bytes, head.size);
        sent.used += padded(head.size);
    }
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed + (number + 1) * 0x9E3779B97F4A7C15U;  // SplitMix64
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

}  // namespace isotick::harness::netplay

using namespace isotick::harness::netplay;

// A quick end does not run the library's destructor.

ISOTICK_INTERPOSED void _exit(int status) {
    if (is_peer()) {
        end();
    }
    ISOTICK_NEXT(syscall)
    next_syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

ISOTICK_INTERPOSED void _Exit(int status) noexcept {
    _exit(status);
}
