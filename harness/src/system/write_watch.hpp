#pragma once
// Notes each write that changes chosen memory, without a debugger and without hardware watchpoints:
// the pages are write-protected, and each write to them faults, is single-stepped, and is noted.

#include "instruction_trace.hpp"

#include <isotick/harness/detail/system_reads.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace isotick::harness {

/// Memory to watch.
struct WatchedMemory {
    std::byte* address = nullptr;
    std::uint64_t size = 0;
};

/// A write that changed up to eight bytes of one range. An instruction that changes more is noted
/// as several.
struct MemoryWrite {
    std::uint64_t place = 0;   ///< index of the range
    std::uint64_t offset = 0;  ///< of the first byte that changed, within the range
    std::uint64_t word = 0;    ///< where the up to eight bytes begin, within the range
    std::uint64_t before = 0;  ///< these bytes, in memory order
    std::uint64_t after = 0;
    std::uint32_t tag = 0;     ///< what the watch's tag was
    std::uint64_t number = 0;  ///< how many writes were noted before this one
    /// Which instruction of the trace made it, from 1; 0: none was traced then.
    std::uint64_t instruction = 0;
    friend bool operator==(const MemoryWrite&, const MemoryWrite&) = default;
};

/// How far a watch goes.
struct WatchLimits {
    std::uint64_t writes = 0;      ///< of the watched memory; later ones are not noted
    std::uint64_t with_sites = 0;  ///< how many of these, the last, are noted with their call stack
    std::uint64_t traps = 0;       ///< writes to the same pages, also of what is not watched
    std::uint64_t instructions = 0;  ///< to trace
};

/// What a watch has seen.
struct WrittenMemory {
    std::vector<MemoryWrite> writes;  ///< in order
    bool cut = false;                 ///< a limit was reached
    /// Call stacks of the last `sites.size()` writes, in the same order, innermost frame first.
    /// Each entry is an address just behind the writing instruction or the call.
    std::vector<std::vector<CallSite>> sites;
    InstructionTrace trace;  ///< of what was traced, until the watch or the trace had a limit
};

/// Watches until it is destroyed. At most one may exist per process at a time. While it lives,
/// system calls that write to the same pages fail with EFAULT, and the watched memory must not be
/// unmapped. The writes of several threads are noted in the order in which they happen.
class WriteWatch {
  public:
    /// Whether this system and processor can do it.
    [[nodiscard]] static bool is_possible();

    /// Notes writes, each with the value that `tag` has then, until a limit is reached; after that
    /// the pages are no longer protected. Ranges may be nested: a write belongs to the innermost.
    /// The calling thread's stack is left out.
    WriteWatch(std::span<const WatchedMemory> memory, const WatchLimits& limits,
               const std::atomic<std::uint32_t>& tag);
    ~WriteWatch();
    WriteWatch(WriteWatch&&) noexcept;
    WriteWatch& operator=(WriteWatch&&) = delete;

    /// Traces the calling thread from here, or from the write number `from` on, until trace_ends()
    /// (both to be called once), one instruction at a time: a thousand times slower. A thread that
    /// blocks SIGTRAP meanwhile ends the process.
    void trace_begins(std::uint64_t from);
    void trace_ends();

    /// Stops watching and returns what it saw. To be called once.
    [[nodiscard]] WrittenMemory end();

  private:
    class Watch;
    std::unique_ptr<Watch> watch_;
};

}  // namespace isotick::harness
