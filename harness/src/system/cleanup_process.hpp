#pragma once
// What must not outlive this process, however it ends: programs that it has started, folders that
// it works in.
//
// A process beside this one, the cleanup process, is told of them. It ends when this one has,
// SIGKILL included, and before that kills those programs and removes those folders.

#include <isotick/core/result.hpp>

#include <cstdint>
#include <string>

namespace isotick::harness {

/// Starts the cleanup process where there is none. Fails where the system has no room for it.
[[nodiscard]] core::Result<void> start_cleanup_process();

// These do nothing where no cleanup process was started, as in a worker: its parent's kills it.
// They may be called between fork and exec.

/// When this process has ended, that leader of a session (setsid) is asked to end (SIGTERM), and
/// every process of its session killed soon after; unless it is released before: then it has ended,
/// and its number may become another's.
void end_with_us(std::int32_t leader);
void release_leader(std::int32_t leader);

/// The folder at that absolute path, should it be there then, unless it is kept before.
void remove_with_us(const std::string& folder);
void keep_behind_us(const std::string& folder);

/// Keeps the locked file `file` open until those programs are dead.
void hold_with_us(int file);

}  // namespace isotick::harness
