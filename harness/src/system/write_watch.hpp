#pragma once
// Notes each write that changes chosen memory, without a debugger and without hardware watchpoints:
// the pages are write-protected, and every write to them faults, runs alone, and is looked at.

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

/// A write that changed up to eight bytes of one of them. An instruction that changes more of them
/// is several writes.
struct MemoryWrite {
    std::uint64_t place = 0;   ///< the memory's index in the list
    std::uint64_t offset = 0;  ///< of the first byte that changed, within the memory
    std::uint64_t word = 0;    ///< where the up to eight bytes begin, within the memory
    std::uint64_t before = 0;  ///< these bytes, as in memory
    std::uint64_t after = 0;
    std::uint32_t tag = 0;     ///< what the watch's tag was
    std::uint64_t number = 0;  ///< how many were noted before it
    friend bool operator==(const MemoryWrite&, const MemoryWrite&) = default;
};

/// What a watch has seen.
struct WrittenMemory {
    std::vector<MemoryWrite> writes;  ///< in order
    bool cut =
        false;  ///< there were more than were to be noted, or too many elsewhere on the pages
    /// Of the last of them where they came from, the innermost first: an address behind the
    /// instruction, then one behind each call.
    std::vector<std::vector<CallSite>> sites;
};

/// Watches until it is destroyed. Only one at a time exists in a process. While it lives, system
/// calls that write to the same pages fail with EFAULT, and the watched memory must not be
/// unmapped. Writes of several threads are noted in the order in which they happen.
class WriteWatch {
  public:
    /// Whether this system and processor can do it.
    [[nodiscard]] static bool is_possible();

    /// Notes writes up to number `most`, each with what `tag` is then; of the last `with_sites` of
    /// those also where they come from. Whoever writes on is as fast as ever. Ranges may lie within
    /// others: the innermost counts. The calling thread's stack is left out.
    WriteWatch(std::span<const WatchedMemory> memory, std::uint64_t most, std::uint64_t with_sites,
               const std::atomic<std::uint32_t>& tag);
    ~WriteWatch();
    WriteWatch(WriteWatch&&) noexcept;
    WriteWatch& operator=(WriteWatch&&) = delete;

    /// Stops watching and returns what it saw. To be called once.
    [[nodiscard]] WrittenMemory end();

  private:
    class Watch;
    std::unique_ptr<Watch> watch_;
};

}  // namespace isotick::harness
