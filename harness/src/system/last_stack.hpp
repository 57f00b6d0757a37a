#pragma once
// Where a process was when a signal ended it, or when it was asked because it hung.

#include "call_stack.hpp"

#include <isotick/harness/detail/system_reads.hpp>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <vector>

namespace isotick::harness {

/// In memory that the process shares with its parent, which reads it.
struct LastStack {
    std::atomic<std::uint32_t> count{0};  ///< of the sites; set when all are written
    std::array<Site, CallStack::kMost> sites{};
};

/// Asks a process that notes its last stack to note it now. Others ignore this signal, unless they
/// handle it.
inline constexpr int kAskForStack = SIGURG;

/// From now on, notes into `stack` where this process is when a signal ends it, or when it gets
/// kAskForStack, if that comes first. How it ends stays the same. A signal that something handles
/// already, such as a sanitizer, is left to it. `stack` must live as long as the process. Linux on
/// x86-64 and AArch64; does nothing elsewhere.
void note_last_stack(LastStack& stack);

/// What was noted; empty: nothing. The process may have written anything there.
[[nodiscard]] std::vector<CallSite> sites_of(const LastStack& stack);

/// The same in the form that results have.
[[nodiscard]] CallSite call_site_of(const Site& site);

}  // namespace isotick::harness
