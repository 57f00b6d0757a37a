#pragma once
// One direction of a link: what becomes of each packet, decided when it is sent.

#include "bottleneck.hpp"
#include "loss_chain.hpp"

#include <isotick/harness/network.hpp>

#include <cstdint>
#include <optional>
#include <span>

namespace isotick::harness {

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
