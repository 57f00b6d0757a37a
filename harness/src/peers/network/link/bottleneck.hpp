#pragma once
// The narrow end of a link: packets leave it one after the other, as fast as its bandwidth allows.

#include <isotick/harness/detail/peers/link_settings.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace isotick::harness {

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

}  // namespace isotick::harness
