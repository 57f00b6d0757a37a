#pragma once
// What a rollback peer took for the inputs of others in the ticks that are not confirmed.

#include <isotick/core/detail/bytes.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness {

/// The guesses of the latest ticks, in memory that is reused.
class Guesses {
  public:
    Guesses(std::size_t most_ticks, std::uint32_t peers)
        : peers_(peers), open_(most_ticks), entries_(most_ticks * peers) {}

    /// Forgets what was guessed for a tick, which is about to be run.
    void begin(std::uint64_t tick) { open_[tick % open_.size()] = 0; }
    /// `inputs` are as inputs_in gives them.
    void add(std::uint64_t tick, std::uint32_t peer, std::span<const std::byte> inputs) {
        open_[tick % open_.size()] |= std::uint64_t{1} << peer;
        entry(tick, peer).assign(inputs.begin(), inputs.end());
    }

    /// The first tick of [first, last) with a guess that was wrong, if any. `actual(peer, tick)`
    /// returns the inputs, or none where they are not known yet. Right guesses are not looked at
    /// again.
    template <class Actual>
    [[nodiscard]] std::optional<std::uint64_t> first_wrong(std::uint64_t first, std::uint64_t last,
                                                           const Actual& actual) {
        for (std::uint64_t tick = first; tick < last; ++tick) {
            std::uint64_t& open = open_[tick % open_.size()];
            for (std::uint64_t left = open; left != 0; left &= left - 1) {
                const auto peer = static_cast<std::uint32_t>(std::countr_zero(left));
                const auto inputs = actual(peer, tick);
                if (inputs && !std::ranges::equal(entry(tick, peer), *inputs)) {
                    return tick;
                }
                open &= inputs ? ~(std::uint64_t{1} << peer) : ~std::uint64_t{0};
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] core::Bytes& entry(std::uint64_t tick, std::uint32_t peer) {
        return entries_[tick % open_.size() * peers_ + peer];
    }

    std::uint32_t peers_;
    std::vector<std::uint64_t> open_;  // of a tick: whose inputs were guessed and are not known
    std::vector<core::Bytes> entries_;
};

}  // namespace isotick::harness
