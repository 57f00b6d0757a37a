#pragma once
// The processes of a session over UDP: how they are started and what they do first.

#include "../system/channel.hpp"
#include "../system/posix.hpp"
#include "../system/process.hpp"
#include "live_messages.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace isotick::harness {

// What a process of a session over UDP shares with the one that started it.

/// False where nobody is there any more.
inline bool tell(LiveSignal::Kind kind, std::uint64_t value = 0) {
    return send_message(kWorkerSocket, LiveSignal{kind, value});
}

/// Whether the starter has said something, or is gone.
[[nodiscard]] inline bool has_signal() {
    const int socket = kWorkerSocket;
    return wait_to_read({&socket, 1}, 0);
}

/// Waits for the next signal; `stop` where nobody is there any more.
[[nodiscard]] inline LiveSignal hear() {
    LiveSignal signal;
    return receive_message(kWorkerSocket, signal) ? signal : LiveSignal{LiveSignal::stop, 0};
}

/// Says that this process is ready, at `port`, and waits until the session starts; none where it
/// does not. When it started by the steady clock.
[[nodiscard]] inline std::optional<std::int64_t> wait_for_start(std::uint16_t port) {
    if (!tell(LiveSignal::ready, port)) {
        return std::nullopt;
    }
    const LiveSignal signal = hear();
    return signal.kind == LiveSignal::go ? std::optional(static_cast<std::int64_t>(signal.value))
                                         : std::nullopt;
}

// A process of a session over UDP, as the one that started it sees it.

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

// The processes of a session over UDP: what they do first.

/// As run_if_worker, where the program was started as one of these processes.
[[nodiscard]] std::optional<int> run_if_live(std::span<const char* const> arguments,
                                             SimulationCatalog& catalog);

}  // namespace isotick::harness
