#pragma once
// Who takes part in which tick.

#include "../wire/entry.hpp"

#include <isotick/harness/peer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace isotick::harness {

/// The same for all peers as far as they know it: every change stands in the input log of one of
/// them. A change names the life that it is about, so that one that is known already, or is about
/// another life, changes nothing.
class Membership {
  public:
    static constexpr std::uint64_t kNever = Presence::kOpen;

    /// All that are neither late nor spectators take part from tick 0 on.
    explicit Membership(const PeerOptions& options);

    [[nodiscard]] bool takes_part(std::uint32_t peer, std::uint64_t tick) const {
        const auto& spans = spans_[peer];
        for (std::size_t i = spans.size(); i-- > 0;) {  // the last one nearly always
            if (spans[i].from <= tick && tick < spans[i].until) {
                return true;
            }
        }
        return false;
    }
    /// Whether it takes part with no end known.
    [[nodiscard]] bool is_active(std::uint32_t peer) const {
        return !spans_[peer].empty() && spans_[peer].back().until == kNever;
    }
    [[nodiscard]] bool was_ever_active(std::uint32_t peer) const { return !spans_[peer].empty(); }
    /// Which of its lives took part last. Requires was_ever_active.
    [[nodiscard]] std::uint8_t life(std::uint32_t peer) const { return lives_[peer].back(); }
    /// How many of its lives, from the first on, are known to have taken part or to be over.
    [[nodiscard]] std::uint32_t lives(std::uint32_t peer) const {
        return was_ever_active(peer) ? life(peer) + 1U : 0;
    }
    /// Whether all agree that this life of a peer takes part no more, nor any before it.
    [[nodiscard]] bool is_over(std::uint32_t peer, std::uint8_t life) const {
        return was_ever_active(peer) && life <= this->life(peer) &&
               (life < this->life(peer) || !is_active(peer));
    }
    /// Where its last time ends: kNever while it is active. Requires was_ever_active.
    [[nodiscard]] std::uint64_t until(std::uint32_t peer) const {
        return spans_[peer].back().until;
    }
    /// The first of its times that is not over at `tick`; null: there is none.
    [[nodiscard]] const Presence* next(std::uint32_t peer, std::uint64_t tick) const {
        for (const Presence& span : spans_[peer]) {
            if (span.until > tick) {
                return &span;
            }
        }
        return nullptr;
    }

    /// How many changes there were.
    [[nodiscard]] std::uint64_t changes() const;
    /// Whether a change is one: not known yet, and not senseless.
    [[nodiscard]] bool fits(const MemberChange& change) const;
    /// Whether it will be one once another one is known, about a life before.
    [[nodiscard]] bool is_early(const MemberChange& change) const {
        return change.joins ? is_active(change.peer) && change.life > life(change.peer)
                            : change.life >= lives(change.peer);
    }
    /// False where it does not fit.
    bool apply(const MemberChange& change);

    /// All changes so far, for a peer that joins.
    [[nodiscard]] std::vector<MemberChange> history() const;
    void clear();  ///< nobody takes part in anything

    [[nodiscard]] std::span<const Presence> presence(std::uint32_t peer) const {
        return spans_[peer];
    }

  private:
    std::vector<std::vector<Presence>> spans_;
    std::vector<std::vector<std::uint8_t>> lives_;  // of each span; they rise
};

}  // namespace isotick::harness
