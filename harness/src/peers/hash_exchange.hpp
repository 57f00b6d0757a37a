#pragma once
// Do all peers have the same states? Hashes of confirmed ticks, chained, reported now and then;
// tick by tick where the chains differ.

#include "packet.hpp"

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

/// Ticks to look at one by one, since chains differ.
struct HashDoubt {
    std::uint64_t first = 0;
    std::uint64_t last = 0;              ///< behind the last
    std::optional<std::uint32_t> about;  ///< whose chain differs; none: another peer doubts
    bool is_evident = false;             ///< a peer told another hash for one of them
};

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

    [[nodiscard]] std::uint64_t chain() const { return chain_; }
    /// The latest report that is due, if any; `all`: about all ticks so far.
    [[nodiscard]] std::optional<HashReport> report(bool all) const;

    /// What `peer` says. It is looked at when this peer has come so far.
    void take(std::uint32_t peer, const HashReport& report);
    /// Whether `peer` has reported the own hashes of all ticks before that.
    [[nodiscard]] bool is_equal(std::uint32_t peer, std::uint64_t ticks) const {
        return told_[peer].equal_through >= ticks;
    }
    /// It is another one now.
    void forget(std::uint32_t peer) { told_[peer] = {}; }
    /// One at a time. A difference with one peer does not keep that with another waiting for ever,
    /// whatever the first one tells.
    [[nodiscard]] const std::optional<HashDoubt>& doubt() const { return doubt_; }
    /// Another peer doubts these ticks. What differs from the own hashes comes first.
    void share_doubt(const HashDetails& theirs);
    /// Nothing bears it out. True: that peer's own hashes, tick by tick, are not what its chain is
    /// made of. `theirs`: what it told, if anything.
    bool drop_doubt(const std::optional<HashDetails>& theirs);
    /// The own hashes of the ticks in doubt.
    [[nodiscard]] HashDetails details() const;

  private:
    struct Told {
        std::vector<HashReport> waiting;  // for this peer to come so far; ascending
        std::uint64_t equal_through = 0;  // ticks below this are known to be equal
        bool was_equal = false;           // a report was, so that both count from the same chain
        std::uint64_t differs_at = 0;     // ticks of the first report that was not; 0: none
    };
    void compare(std::uint32_t peer, const HashReport& report);
    void compare_waiting(std::uint32_t peer);
    void raise_doubt();
    [[nodiscard]] bool has_kept(std::uint64_t first, std::uint64_t last) const;

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
    std::optional<HashDoubt> doubt_;
    std::uint32_t next_about_ = 0;  // whom the next doubt is about, if there is one
};

/// What all details together say. None where no tick differs in them. Entry p of `details` is peer
/// p's, none where it sent none.
[[nodiscard]] std::optional<HashMismatch> judge_details(
    const std::vector<std::optional<HashDetails>>& details);

}  // namespace isotick::harness
