#pragma once
// What a link does to packets: delay, loss, bottleneck, order.

#include <isotick/core/random.hpp>
#include <isotick/harness/detail/link_settings.hpp>
#include <isotick/harness/network.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

// The random numbers of one packet.

/// `range` times `draw` / 2^32, rounded down: uniform from 0 to below `range` for a uniform draw.
[[nodiscard]] constexpr std::uint64_t scaled(std::uint32_t draw, std::uint64_t range) {
    return (range >> 32U) * draw + (((range & 0xffffffffU) * draw) >> 32U);
}

/// Whether a uniform draw hits a share; exact but for 2^-32.
[[nodiscard]] constexpr bool hits(std::uint32_t draw, std::uint32_t per_mille) {
    return scaled(draw, 1000) < per_mille;
}

/// Always the same number of draws in the same order, whatever they are used for: so packet n has
/// the same ones on every link with its seed, and a setting changes nothing but itself.
struct PacketDraws {
    std::uint32_t loss;
    std::uint32_t jitter;
    std::uint32_t duplication;
    std::uint32_t copy_jitter;
    std::uint32_t reordering;
    std::uint32_t hold_back;

    [[nodiscard]] static PacketDraws next(core::Pcg32& random) {
        PacketDraws draws{};
        draws.loss = random.next();
        draws.jitter = random.next();
        draws.duplication = random.next();
        draws.copy_jitter = random.next();
        draws.reordering = random.next();
        draws.hold_back = random.next();
        return draws;
    }
};

// Which packets a link loses.

/// A link in a good state delivers, in a bad one it loses; after each packet it may change. Long
/// run: the share `loss` is lost, `burst` packets in a row on average, or as many as chance alone
/// gives if that is more (1 / (1 - loss)); burst 1 is independent loss.
/// Source: Gilbert, "Capacity of a Burst-Noise Channel" (1960), with h = 0; Elliott, "Estimates of
/// Error Rates for Codes on Burst-Noise Channels" (1963).
class LossChain {
  public:
    /// Sets how much is lost from now on. The state stays, unless nothing is lost in it any more.
    void set(std::uint32_t loss_per_mille, std::uint32_t burst) {
        if (loss_per_mille == loss_per_mille_ && burst == burst_) {
            return;
        }
        loss_per_mille_ = loss_per_mille;
        burst_ = burst;
        is_bad_ = is_bad_ && loss_per_mille > 0;
        const std::uint64_t delivered = 1000 - loss_per_mille;
        to_good_ = std::min(kOne / burst, kOne * delivered / 1000);
        to_bad_ = delivered == 0 ? kOne : std::min(kOne, to_good_ * loss_per_mille / delivered);
    }

    /// Whether the next packet is lost, by a uniform draw.
    [[nodiscard]] bool loses(std::uint32_t draw) {
        if (!has_state_) {
            has_state_ = true;
            is_bad_ = draw < kOne * loss_per_mille_ / 1000;
        } else {
            is_bad_ = is_bad_ ? draw >= to_good_ : draw < to_bad_;
        }
        return is_bad_;
    }

  private:
    static constexpr std::uint64_t kOne = 1ULL << 32U;  // certainty

    std::uint32_t loss_per_mille_ = 0;
    std::uint32_t burst_ = 1;
    std::uint64_t to_good_ = kOne;
    std::uint64_t to_bad_ = 0;
    bool has_state_ = false;
    bool is_bad_ = false;
};

// The narrow end of a link: packets leave it one after the other, as fast as its bandwidth allows.

/// A queue that drops what does not fit at its end (drop-tail), in front of a rate or of the
/// deliveries of a trace. Sizes are with headers.
class Bottleneck {
  public:
    explicit Bottleneck(const LinkSettings& settings);

    /// When a packet that comes at `now_ns` has left; none: it did not fit. `now_ns` never goes
    /// back.
    [[nodiscard]] std::optional<std::int64_t> pass(std::int64_t now_ns, std::uint32_t bytes);

  private:
    struct Waiting {
        std::int64_t leaves_ns;
        std::uint32_t bytes;
    };

    void forget_those_that_left(std::int64_t now_ns);
    [[nodiscard]] std::int64_t leave_by_rate(std::int64_t now_ns, std::uint32_t bytes);
    [[nodiscard]] std::int64_t leave_by_trace(std::int64_t now_ns, std::uint32_t bytes);
    [[nodiscard]] std::int64_t delivery_ns(std::uint64_t index) const;
    [[nodiscard]] std::uint64_t first_delivery_from(std::int64_t time_ns) const;

    std::uint64_t rate_;
    std::uint64_t queue_;
    std::shared_ptr<const LinkTrace> trace_;  // of deliveries, or null

    std::int64_t busy_until_ns_ = 0;
    std::uint64_t delivery_ = 0;          // of the trace, which repeats
    std::uint32_t left_in_delivery_ = 0;  // bytes
    std::vector<Waiting> waiting_;        // those before first_ have left
    std::size_t first_ = 0;
    std::uint64_t waiting_bytes_ = 0;
};

// One direction of a link: what becomes of each packet, decided when it is sent.

/// What becomes of a packet.
struct Outcome {
    std::optional<PacketFate> missing;  ///< lost, overflowed or cut off; none: it arrives
    std::int64_t arrival_ns = 0;
    std::optional<std::int64_t> copy_ns;  ///< when a copy arrives
};

class LinkDirection {
  public:
    /// `events`: those of this link, by number; must outlive it.
    LinkDirection(const LinkSettings& settings, std::span<const PacketEvent> events,
                  core::Pcg32 random);

    /// Of the next packet; `bytes` are without headers. `now_ns` never goes back.
    [[nodiscard]] Outcome send(std::int64_t now_ns, std::uint32_t bytes, bool is_cut_off);

    /// When a packet arrives that is affected only by the link's delay.
    [[nodiscard]] std::int64_t plain_arrival_ns(std::int64_t now_ns) const {
        return now_ns + settings_.delay_ns;
    }

  private:
    /// The events of one packet.
    struct Given {
        bool drops = false;
        std::int64_t late_ns = 0;
        bool copies = false;
        std::int64_t copy_late_ns = 0;
    };

    [[nodiscard]] Given take_events(std::uint64_t number);
    [[nodiscard]] LinkTrace::Condition condition_at(std::int64_t now_ns);
    [[nodiscard]] std::int64_t jittered(std::int64_t delay_ns, std::uint32_t draw) const;
    [[nodiscard]] std::int64_t held_back_by(const PacketDraws& draws) const;

    LinkSettings settings_;
    std::span<const PacketEvent> events_;  // those to come
    core::Pcg32 random_;
    LossChain losses_;
    Bottleneck bottleneck_;
    std::uint64_t number_ = 0;      // of the next packet
    std::int64_t in_order_ns_ = 0;  // when the last packet arrives that was not held back
};

}  // namespace isotick::harness
