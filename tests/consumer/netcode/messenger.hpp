#pragma once
// Somebody's own netcode: messages that arrive once and in order, over packets that may do neither.
// It knows nothing of isotick: packets leave by a callback, come in by a call, and time is told.

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// One end of a connection. A message is sent again and again until its number is acknowledged;
/// then comes the next one.
class Messenger {
  public:
    using SendPacket = std::function<void(std::string_view packet)>;

    /// `trusts_any_ack` plants a bug: an acknowledgment of an earlier message counts for the
    /// current.
    Messenger(SendPacket send, bool trusts_any_ack)
        : send_(std::move(send)), trusts_any_ack_(trusts_any_ack) {}

    void post(std::string message) { outgoing_.push_back(std::move(message)); }

    void update(std::int64_t now_ns) {
        constexpr std::int64_t kPatience = 400'000'000;
        if (!outgoing_.empty() && (is_fresh_ || now_ns - sent_ns_ >= kPatience)) {
            send_("m" + std::to_string(number_) + " " + outgoing_.front());
            sent_ns_ = now_ns;
            is_fresh_ = false;
        }
    }

    void receive(std::string_view packet) {
        const std::size_t blank = packet.find(' ');
        const std::uint64_t number = std::stoull(std::string(packet.substr(1, blank - 1)));
        if (packet[0] == 'a') {
            take_acknowledgment(number);
            return;
        }
        if (number == expected_) {
            received_.emplace_back(packet.substr(blank + 1));
            ++expected_;
        }
        if (number < expected_) {
            send_("a" + std::to_string(number) + " ");
        }
    }

    [[nodiscard]] const std::vector<std::string>& received() const { return received_; }
    [[nodiscard]] bool is_idle() const { return outgoing_.empty(); }

  private:
    void take_acknowledgment(std::uint64_t number) {
        if (!outgoing_.empty() && (number == number_ || trusts_any_ack_)) {
            outgoing_.pop_front();
            ++number_;
            is_fresh_ = true;
        }
    }

    SendPacket send_;
    bool trusts_any_ack_;
    std::deque<std::string> outgoing_;
    std::uint64_t number_ = 0;    // of the message in front
    std::uint64_t expected_ = 0;  // of the message to come
    bool is_fresh_ = true;        // the message in front was never sent
    std::int64_t sent_ns_ = 0;
    std::vector<std::string> received_;
};
