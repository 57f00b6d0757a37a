#pragma once
// What a process of a session over UDP shares with the one that started it.

#include "../../platform/channel.hpp"
#include "../../platform/pipes.hpp"
#include "live_messages.hpp"

#include <isotick/core/result.hpp>

#include <optional>

namespace isotick::harness {

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

}  // namespace isotick::harness
