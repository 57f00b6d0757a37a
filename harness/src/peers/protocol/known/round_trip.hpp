#pragma once
// How long a packet takes to another peer and back.

#include "../wire/packet.hpp"

#include <cstdint>
#include <optional>

namespace isotick::harness {

/// Measures by the times that packets carry, in milliseconds modulo 2^16, and smooths as RFC 6298
/// does (alpha 1/8, beta 1/4), in integers.
class RoundTrip {
  public:
    /// Of a packet that came at `now_ns`.
    void take(const PacketTimes& times, std::int64_t now_ns) {
        const std::uint16_t now_ms = milliseconds(now_ns);
        if (times.has_echo) {
            const auto round = static_cast<std::uint16_t>(now_ms - times.echo_ms);
            if (round < kLongest) {
                smooth(round);
            }
        }
        their_time_ = times.sent_ms;
        came_ms_ = now_ms;
    }

    /// To be sent at `now_ns`.
    [[nodiscard]] PacketTimes times(std::int64_t now_ns) const {
        const std::uint16_t now_ms = milliseconds(now_ns);
        if (!their_time_) {
            return {now_ms, 0, false};
        }
        return {now_ms, static_cast<std::uint16_t>(*their_time_ + (now_ms - came_ms_)), true};
    }

    [[nodiscard]] std::int64_t mean_ns() const { return eighths_ * kMillisecond / 8; }
    /// How much it varies: the mean deviation.
    [[nodiscard]] std::int64_t deviation_ns() const { return quarters_ * kMillisecond / 4; }

  private:
    static constexpr std::int64_t kMillisecond = 1'000'000;
    static constexpr std::uint16_t kLongest = 30'000;

    static std::uint16_t milliseconds(std::int64_t ns) {
        return static_cast<std::uint16_t>(ns / kMillisecond);
    }

    void smooth(std::int64_t round_ms) {
        if (!measured_) {
            measured_ = true;
            eighths_ = round_ms * 8;
            quarters_ = round_ms * 2;
            return;
        }
        const std::int64_t off = round_ms - eighths_ / 8;
        quarters_ += (off < 0 ? -off : off) - quarters_ / 4;
        eighths_ += off;
    }

    std::optional<std::uint16_t> their_time_;
    std::uint16_t came_ms_ = 0;
    bool measured_ = false;
    std::int64_t eighths_ = 0;   // of a millisecond: the mean
    std::int64_t quarters_ = 0;  // the deviation
};

}  // namespace isotick::harness
