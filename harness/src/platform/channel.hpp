#pragma once
// What a parent and a worker process share: a socket for signals, two anonymous files for the
// request and the response, and a block of shared memory for progress.

#include "pipes.hpp"
#include "processes/process.hpp"

#include <cstdint>

namespace isotick::harness {

/// What the worker reports over the socket when a request has ended.
struct EndOfRequest {
    ProcessEnd process;             ///< the one that ran it
    std::uint32_t needs_fresh = 0;  ///< 1: nothing ran, it has to run in a process of its own
};

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
[[nodiscard]] core::Result<FileDescriptor> file_out_of_the_way();

/// The exit code of a worker that cannot reach its parent, which reads nothing else of it then.
inline constexpr int kBrokenChannel = 120;

}  // namespace isotick::harness
