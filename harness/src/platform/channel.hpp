#pragma once
// What a parent and a worker process share: a socket for signals, two anonymous files for the
// request and the response, and a block of shared memory for progress.

#include "pipes.hpp"
#include "processes/process.hpp"

#include <isotick/harness/detail/worker/progress.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace isotick::harness {

/// What is reported over the socket when a request has ended: by a fork server, or by the process
/// that keeps a worker which has ended.
struct EndOfRequest {
    ProcessEnd process;               ///< the one that ran it; the worker where that has ended
    std::uint32_t needs_fresh = 0;    ///< 1: nothing ran, it has to run in a process of its own
    std::uint32_t left = 0;           ///< processes that it left running
    std::uint32_t worker_ended = 0;   ///< 1: there is no worker any more
    std::uint32_t was_parent = 0;     ///< 1: which runs requests in copies of itself
    std::uint32_t was_stopped = 0;    ///< 1: it was stopped when it was to be ended
    std::uint64_t shared_memory = 0;  ///< bytes, where it was ended for having too much; else 0
};

/// A worker's answer is not trusted: one of more bytes is not read.
inline constexpr std::uint64_t kLongestResponse = std::uint64_t{256} << 20U;

/// What it is sent for each request.
inline constexpr char kGo = 1;

/// The descriptors at which a worker finds its ends.
inline constexpr int kWorkerSocket = 3;
inline constexpr int kWorkerProgress = 4;
inline constexpr int kWorkerRequest = 5;
inline constexpr int kWorkerResponse = 6;

/// Ends and files whose numbers are above those, so that placing one there never hits another.
[[nodiscard]] core::Result<Ends> sockets_out_of_the_way();
[[nodiscard]] core::Result<Ends> pipe_out_of_the_way();
[[nodiscard]] core::Result<FileDescriptor> out_of_the_way(core::Result<FileDescriptor> made);

/// The exit code of a process that cannot answer its parent: see cut_off_by.
inline constexpr int kBrokenChannel = 120;

/// Replaces the content of `file`. False, with the reason in `progress`, where that cannot be.
[[nodiscard]] bool put_answer(int file, std::string_view answer, Progress& progress);

/// Ends this process with what `make` returns as the content of `file`. Where that cannot be, or
/// memory runs out, the reason is in `progress`.
[[noreturn]] void answer_and_exit(int file, Progress& progress,
                                  const std::function<std::string()>& make);

/// The errno for which a process that has ended could not answer, by what it wrote in `progress`;
/// 0: it ended otherwise.
[[nodiscard]] int cut_off_by(const Progress& progress, const ProcessEnd& end);

/// Whether it could not since the simulation, which may do anything, has closed a descriptor: with
/// any other errno, it is the machine that fell short.
[[nodiscard]] bool is_closed(int reason);

}  // namespace isotick::harness
