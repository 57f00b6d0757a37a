#include "membership.hpp"

namespace isotick::harness {

Membership::Membership(const PeerOptions& options) : spans_(options.peers), lives_(options.peers) {
    for (std::uint32_t peer = 0; peer < options.peers - options.spectators; ++peer) {
        if ((options.late >> peer & 1U) == 0) {
            spans_[peer].push_back({});
            lives_[peer].push_back(0);
        }
    }
}

bool Membership::fits(const MemberChange& change) const {
    const auto& spans = spans_[change.peer];
    if (!change.joins) {
        return is_active(change.peer) && change.life == life(change.peer) &&
               spans.back().from <= change.tick;
    }
    return !is_active(change.peer) && !is_over(change.peer, change.life) &&
           change.life < kMostLives && (spans.empty() || spans.back().until <= change.tick);
}

bool Membership::apply(const MemberChange& change) {
    if (!fits(change)) {
        return false;
    }
    if (change.joins) {
        spans_[change.peer].push_back({change.tick, kNever});
        lives_[change.peer].push_back(change.life);
    } else {
        spans_[change.peer].back().until = change.tick;
    }
    return true;
}

std::uint64_t Membership::changes() const {
    std::uint64_t changes = 0;
    for (const auto& spans : spans_) {
        for (const Presence& span : spans) {
            changes += span.until == kNever ? 1 : 2;
        }
    }
    return changes;
}

std::vector<MemberChange> Membership::history() const {
    std::vector<MemberChange> changes;
    for (std::uint32_t peer = 0; peer < spans_.size(); ++peer) {
        for (std::size_t i = 0; i < spans_[peer].size(); ++i) {
            const Presence& span = spans_[peer][i];
            changes.push_back({peer, true, lives_[peer][i], span.from, 0});
            if (span.until != kNever) {
                changes.push_back({peer, false, lives_[peer][i], span.until, 0});
            }
        }
    }
    return changes;
}

void Membership::clear() {
    for (std::size_t peer = 0; peer < spans_.size(); ++peer) {
        spans_[peer].clear();
        lives_[peer].clear();
    }
}

}  // namespace isotick::harness
