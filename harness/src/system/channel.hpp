#pragma once
// What two processes share: bounded output, shared memory, messages over a socket.

#include "posix.hpp"
#include "process.hpp"

#include <isotick/harness/detail/progress.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace isotick::harness {

// The output of a process, without room for a process that never stops printing.

/// Keeps the first and the last bytes of what is added, and counts the rest.
class BoundedText {
  public:
    void add(std::string_view text) {
        const std::size_t room = kKept - beginning_.size();
        beginning_ += text.substr(0, room);
        if (text.size() > room) {
            end_ += text.substr(room);
        }
        if (end_.size() > 2 * kKept) {
            dropped_ += end_.size() - kKept;
            end_.erase(0, end_.size() - kKept);
        }
    }

    void clear() { *this = {}; }

    [[nodiscard]] std::string text() const {
        if (dropped_ == 0) {
            return beginning_ + end_;
        }
        return beginning_ + "\n… " + std::to_string(dropped_) + " bytes left out …\n" + end_;
    }

  private:
    static constexpr std::size_t kKept = 8192;

    std::string beginning_;
    std::string end_;
    std::size_t dropped_ = 0;
};

// A value that several processes write and read.

/// Of a plain type whose members are atomic. Movable; gone with the last process that has it.
template <class T>
class Shared {
  public:
    Shared() = default;
    ~Shared() {
        if (value_ != nullptr) {
            unmap(value_, sizeof(T));
        }
    }
    Shared(Shared&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Shared& operator=(Shared&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }

    /// Makes one: with the copies of this process, and with those that get hold of `file`, if it is
    /// one.
    [[nodiscard]] static Shared make(int file = -1) {
        Shared made = held_in(file);
        if (made.value_ != nullptr) {
            new (made.value_) T();
        }
        return made;
    }
    /// The one that another process has made with this file.
    [[nodiscard]] static Shared held_in(int file) {
        Shared held;
        held.value_ = static_cast<T*>(map_shared(file, sizeof(T)));
        return held;
    }

    /// Null where the system had no memory to share.
    [[nodiscard]] T* get() const { return value_; }

  private:
    T* value_ = nullptr;
};

// What a parent and a worker process share: a socket for signals, two anonymous files for the
// request and the response, and a block of shared memory for progress.

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
