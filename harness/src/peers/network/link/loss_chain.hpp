#pragma once
// Which packets a link loses.

#include "draws.hpp"

#include <algorithm>
#include <cstdint>

namespace isotick::harness {

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

}  // namespace isotick::harness
