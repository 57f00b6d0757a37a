#pragma once
// What the parts of the library share that is loaded into each peer of a netplay session. It
// answers in the place of the system: clocks, waits, threads that wait for each other, and sockets.
// It does without the C++ library, and without exceptions.

#include "../../system/next_function.hpp"
#include "../page.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

#define ISOTICK_INTERPOSED extern "C" __attribute__((visibility("default")))

namespace isotick::harness::netplay {

/// Null where this process is no peer.
[[nodiscard]] Page* page();

/// Whether this process is the peer: from its first socket, wait or thread on.
[[nodiscard]] bool is_peer();

/// Makes this process the peer, unless another one is. False: it is none, and the system answers.
bool become_peer();

/// Tells the session why what comes of it can't be relied on. The first reason counts.
void refuse(Refused reason);

using harness::next;

/// Fails as the system does.
template <class Number = int>
Number failed(int error) {
    errno = error;
    return static_cast<Number>(-1);
}

// Time, in nanoseconds since the session began.

[[nodiscard]] std::int64_t now();
/// As a clock shows it; -1: that clock is none of ours.
[[nodiscard]] std::int64_t shown_by(clockid_t clock);
/// The moment at which that clock shows `time`.
[[nodiscard]] std::int64_t moment_of(clockid_t clock, const timespec& time);
[[nodiscard]] std::int64_t in_ns(const timespec& time);
[[nodiscard]] timespec in_timespec(std::int64_t ns);
/// `after` from now; none for ever.
[[nodiscard]] std::int64_t moment_after(std::int64_t after);
/// Somebody looks at a clock, or at a socket without waiting. After kFreeLooks of them without a
/// `rest`, each takes kLookCost.
void look();
void rest();

inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// Waiting. One thread of the process runs at a time: until it waits, for time, packets or another
// thread. Then the next one goes on that can; where there is none, the session goes on.

enum class Woken { by_time, by_packet, by_thread, by_signal };

/// The calling thread waits until then, until a packet arrives if it waits for packets, or until
/// another thread wakes `object`, if there is one.
Woken wait_until(std::int64_t until, bool for_packets, const void* object = nullptr);
/// Wakes the threads that wait for it, the longest waiting first; at most `most`. How many it woke.
int wake(const void* object, int most = INT32_MAX);
/// The calling thread lets others go first.
void let_others_go();
/// Threads of this process that have not ended.
[[nodiscard]] std::uint32_t threads_alive();

/// Gives the session its turn. Returns when it is this process's again: true after a signal.
bool give_turn(Waiting waiting, std::int64_t until, bool wakes_by_packet);

/// Takes what the session has brought. Whether there was anything.
bool take_received();
/// Hands a packet to the session, to be sent now.
void send_packet(const PacketHead& head, const void* bytes);

/// A mixed number that depends on both.
[[nodiscard]] std::uint64_t mixed(std::uint64_t seed, std::uint64_t number);

}  // namespace isotick::harness::netplay
