#pragma once
// Starting processes and waiting for them: their limits, address layout and processor time.

#include "posix.hpp"

#include <isotick/core/result.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace isotick::harness {

// What processor time was spent.

/// By this process, and by those that it has waited for, with those that they have waited for.
[[nodiscard]] std::chrono::nanoseconds cpu_time_so_far();

// What this process, and those that it starts, may use.

/// Limits memory, so that who eats memory gets bad_alloc or a null pointer and the machine stays
/// usable; 0: no limit. Not with a sanitizer in this process: it reserves more addresses than any
/// limit allows.
void limit_memory(std::uint64_t bytes);

/// As limit_memory, for so much beyond what this process has, where the system tells that (Linux).
void limit_further_memory(std::uint64_t bytes);

/// Bytes; none: no limit.
[[nodiscard]] std::optional<std::uint64_t> memory_limit();

/// A crash is told, and leaves no file.
void leave_no_core_file();

// What the system asks of a thread before it starts a program for it: personality(2) of Linux.

// Bits of it.
inline constexpr unsigned long kFixedAddresses = 0x0040000;   ///< addresses are not random
inline constexpr unsigned long kLegacyAddresses = 0x0200000;  ///< mappings grow upward

/// While it lives, the programs that the calling thread starts have these bits too.
class LentPersonality {
  public:
    explicit LentPersonality(unsigned long bits);
    ~LentPersonality();
    LentPersonality(const LentPersonality&) = delete;
    LentPersonality& operator=(const LentPersonality&) = delete;

    /// Containers may forbid it, and other systems have no such thing. True where there are no
    /// bits.
    [[nodiscard]] bool is_lent() const { return is_lent_; }

  private:
    int former_ = -1;  // -1: it is still that
    bool is_lent_ = true;
};

// Processes: how they start, how this one is copied, how they end.

/// The number of this process, asked for by isotick itself: what a simulation asks for is counted.
[[nodiscard]] int own_process_id();

/// As the system numbers processes.
using ProcessId = std::int32_t;

/// How a process ended.
struct ProcessEnd {
    std::int32_t exit_code = 0;  ///< where it ended by itself
    std::int32_t signal = 0;     ///< that killed it; 0: none

    [[nodiscard]] bool well() const { return exit_code == 0 && signal == 0; }
};

/// `killed by signal 11 (…)`, `ended its process with exit code 3`.
[[nodiscard]] std::string describe_end(const ProcessEnd& end);

/// What the system calls a signal.
[[nodiscard]] std::string signal_name(int signal);

/// Whether that is a signal that others send, as the system does when memory runs out: no failure
/// of the process itself.
[[nodiscard]] bool was_killed_from_outside(const ProcessEnd& end);

/// A process that this one has started, and has to wait for: until then no other has its number, so
/// only it and the group that it leads are ever signaled. Movable. The destructor leaves it be.
class Process {
  public:
    explicit Process(ProcessId id = -1) : id_(id) {}
    Process(Process&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Process& operator=(Process&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }

    /// -1 where there is none, or it was waited for.
    [[nodiscard]] ProcessId id() const { return id_; }

    /// Without waiting; it still has to be waited for.
    [[nodiscard]] bool has_ended() const;

    /// Whether a signal stopped it.
    [[nodiscard]] bool is_stopped() const;

    /// Sends it a signal.
    void signal(int number) const;

    /// Kills it, and its group if it leads one.
    void kill() const;

    /// Waits until it has ended; what it left in its group still runs, and it has to be waited for.
    void await_end() const;

    /// Waits until it ends, and kills the rest of its group.
    ProcessEnd wait();
    /// The same, at most as long as `patience`; none where it has not ended then.
    std::optional<ProcessEnd> wait(std::chrono::milliseconds patience);

    /// Asks it to end (SIGTERM), even if it is stopped, and kills it after `patience`.
    ProcessEnd end(std::chrono::milliseconds patience);

  private:
    ProcessId id_;
};

/// From now on, descendants of this process whose parents have ended are its children (Linux).
void adopt_orphans();

/// The children of this process, which has one thread; none where the system does not tell (Linux
/// does).
[[nodiscard]] std::vector<ProcessId> children();

/// Kills all children of this process but those, and their descendants too if it adopts orphans.
/// Returns how many had not ended.
std::uint32_t end_children(std::span<const ProcessId> but = {});

/// Makes this process lead a group of its own.
void lead_group();

/// Copies this process, with only the thread that calls. In the copy the process that is returned
/// has the id 0. The copy is killed when this process ends (see die_with_parent).
[[nodiscard]] core::Result<Process> copy_this_process();

/// Has this process signaled when the one that made it ends, where the system can do that (Linux).
/// It may have ended already.
void die_with_parent(int signal = SIGKILL);

/// Where the system does not tell (Linux does), false.
[[nodiscard]] bool has_other_threads();

/// A program to start.
struct Start {
    const char* failure;  ///< what to say if it cannot be started
    std::string path;
    std::vector<std::string> arguments;    ///< its name and the others
    std::vector<std::string> environment;  ///< `NAME=value`
    /// Our descriptors, and the numbers at which it finds them; placed in this order.
    std::vector<std::pair<int, int>> files;
    bool without_input = false;  ///< its stdin is empty
    bool leads_group = false;
    unsigned long personality = 0;  ///< bits of personality(2) besides this process's, on Linux
    bool usual_signals = false;     ///< none blocked, and none ignored that this process may ignore
};
[[nodiscard]] core::Result<Process> start_program(Start start);

/// The variables of this process, `NAME=value`.
[[nodiscard]] std::vector<std::string> own_environment();

}  // namespace isotick::harness
