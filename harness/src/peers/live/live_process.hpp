#pragma once
// A process of a session over UDP, as the one that started it sees it.

#include "../../platform/bounded_text.hpp"
#include "../../platform/processes/process.hpp"
#include "live_messages.hpp"

#include <isotick/core/result.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace isotick::harness {

/// Owns the process: destroying it kills it and all that it started. Movable.
class LiveProcess {
  public:
    [[nodiscard]] static core::Result<LiveProcess> start(const std::string& executable,
                                                         const LiveRequest& request);
    ~LiveProcess() { kill(); }
    LiveProcess(LiveProcess&&) noexcept = default;
    LiveProcess& operator=(LiveProcess&&) noexcept = default;

    /// To wait for: signals, and what it prints; -1 when there is no more.
    [[nodiscard]] int socket() const { return socket_.get(); }
    [[nodiscard]] int output_file() const { return output_.get(); }

    /// False where it is gone.
    bool tell(LiveSignal::Kind kind, std::uint64_t value = 0) const;
    /// To be called when socket() is readable. None where it has ended, or is about to.
    [[nodiscard]] std::optional<LiveSignal> hear();

    /// Reads what it has printed so far, without waiting.
    void drain_output();
    [[nodiscard]] std::string output() const { return printed_.text(); }

    /// Waits for it to end or print, for a moment at most. Whether it has ended.
    [[nodiscard]] bool wait_briefly() const;

    /// Kills it, with signal 9.
    void kill();

    /// Waits until it ends, or kills it after `patience`. Its answer; fails with how it ended where
    /// it gave none.
    [[nodiscard]] core::Result<LiveAnswer> end(std::chrono::milliseconds patience);

  private:
    LiveProcess() = default;

    Process process_;
    FileDescriptor socket_;
    FileDescriptor output_;
    FileDescriptor request_;
    FileDescriptor response_;
    BoundedText printed_;
};

}  // namespace isotick::harness
