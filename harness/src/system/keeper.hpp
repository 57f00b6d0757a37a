#pragma once
// The process between isotick and a worker, which ends whatever a simulation leaves behind.

#include "process.hpp"

#include <isotick/core/result.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

// The process between isotick and foreign code: whatever that does to its parent, or leaves behind,
// stays below it.

/// How long a keeper may take to end all that it keeps.
inline constexpr std::chrono::milliseconds kKeeperPatience{10'000};

/// How the process that was kept has ended, and all that it had started.
struct KeptEnd {
    ProcessEnd process;
    bool is_copy = true;              ///< of the process that kept it
    bool was_stopped = false;         ///< by a signal, when it was to be ended
    std::uint64_t shared_memory = 0;  ///< bytes, where it had more than allowed; else 0
    std::uint32_t left = 0;           ///< processes that it left running
};

/// Makes a process that runs foreign code, and returns none there. This process keeps it: it runs
/// no foreign code, adopts what that leaves behind, and returns when all of it has ended. It ends
/// them itself when the kept process has ended, has more shared memory than `most_shared` (bytes;
/// 0: any), or when this process is asked to end (SIGTERM) or its parent has ended. The kept
/// process is a copy of this one, or the same program executed once more where this one has
/// threads: then with the same `arguments` and one more, and with the open `files`. To be called
/// first thing in main.
[[nodiscard]] core::Result<std::optional<KeptEnd>> keep(std::span<const char* const> arguments,
                                                        std::span<const int> files,
                                                        std::uint64_t most_shared = 0);

/// Whether the last argument says that this process is kept already.
[[nodiscard]] bool is_kept(std::span<const char* const> arguments);

}  // namespace isotick::harness
