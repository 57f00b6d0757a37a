#pragma once
// Do all peers have the same states? Hashes of confirmed ticks, chained, reported now and then;
// tick by tick where the chains differ.

#include "../wire/packet.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/harness/peer.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

/// Hashes of consecutive ticks, tick by tick, as one peer has them; and for each of those ticks a
/// digest of what each peer contributed to it, by tick, then peer.
struct HashDetails {
    std::uint64_t first = 0;
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint32_t> inputs;
};

void put_details(core::Bytes& out, const HashDetails& details);
/// None where they are malformed; `peers`: how many digests of inputs there must be.
[[nodiscard]] std::optional<HashDetails> read_details(std::span<const std::byte> bytes,
                                                      std::uint32_t peers);

/// One peer's own hashes and what others report of theirs. A chain stands for all ticks before: no
/// confirmed tick goes unseen, even where reports are lost.
class HashExchange {
  public:
    static constexpr std::size_t kKept = 1024;        // ticks
    static constexpr std::size_t kMostDetails = 128;  // ticks

    HashExchange(std::uint32_t every, std::uint32_t peers);

    /// Begins anew at a state that a chain leads to.
    void restart(std::uint64_t tick, std::uint64_t chain);
    /// Of the latest run of a tick.
    void add(std::uint64_t tick, core::StateHash hash);
    /// Ticks before `verified` are not run again.
    void confirm(std::uint64_t verified);

    [[nodiscard]] std::uint64_t chained() const { return chained_; }
    [[nodiscard]] std::uint64_t chain() const { return chain_; }
    /// The latest report that is due, if any; `all`: about all ticks so far.
    [[nodiscard]] std::optional<HashReport> report(bool all) const;

    /// What `peer` says. It is looked at when this peer has come so far.
    void take(std::uint32_t peer, const HashReport& report);
    /// The ticks to look at one by one since chains differ: the first and the one behind the last.
    [[nodiscard]] const std::optional<std::pair<std::uint64_t, std::uint64_t>>& doubt() const {
        return doubt_;
    }
    /// Another peer doubts these ticks.
    void share_doubt(std::uint64_t first, std::uint64_t last);
    /// There is nothing to it.
    void drop_doubt() { doubt_.reset(); }
    /// The own hashes of the ticks in doubt, as far as they are kept.
    [[nodiscard]] HashDetails details() const;

  private:
    struct Told {
        std::vector<HashReport> waiting;  // for this peer to come so far; ascending
        std::uint64_t equal_through = 0;  // ticks below this are known to be equal
    };
    void compare(std::uint32_t peer, const HashReport& report);
    void compare_waiting(std::uint32_t peer);

    std::uint64_t every_;
    std::uint64_t begin_ = 0;
    std::uint64_t chained_ = 0;
    std::uint64_t chain_ = 0;
    struct Kept {
        std::uint64_t tick = UINT64_MAX;
        std::uint64_t hash = 0;
        std::uint64_t chain = 0;  // up to it, once it is confirmed
    };
    std::vector<Kept> kept_;  // of tick t at t modulo kKept
    std::vector<Told> told_;
    std::optional<std::pair<std::uint64_t, std::uint64_t>> doubt_;
};

/// What all details together say. None where no tick differs in them. Entry p of `details` is peer
/// p's, none where it sent none.
[[nodiscard]] std::optional<HashMismatch> judge_details(
    const std::vector<std::optional<HashDetails>>& details);

}  // namespace isotick::harness
