#include "membership.hpp"

namespace isotick::harness {

Membership::Membership(const PeerOptions& options) : spans_(options.peers) {
    for (std::uint32_t peer = 0; peer < options.peers - options.spectators; ++peer) {
        if ((options.late >> peer & 1U) == 0) {
            spans_[peer].push_back({});
        }
    }
}

bool Membership::fits(const MemberChange& change) const {
    const auto& spans = spans_[change.peer];
    return change.joins
               ? spans.empty() || (spans.back().until <= change.tick && spans.size() < kMostSpans)
               : is_active(change.peer) && spans.back().from <= change.tick;
}

bool Membership::apply(const MemberChange& change) {
    if (!fits(change)) {
        return false;
    }
    auto& spans = spans_[change.peer];
    if (change.joins) {
        spans.push_back({change.tick, kNever});
    } else {
        spans.back().until = change.tick;
    }
    return true;
}

std::vector<MemberChange> Membership::history() const {
    std::vector<MemberChange> changes;
    for (std::uint32_t peer = 0; peer < spans_.size(); ++peer) {
        for (const Presence& span : spans_[peer]) {
            changes.push_back({peer, true, span.from});
            if (span.until != kNever) {
                changes.push_back({peer, false, span.until});
            }
        }
    }
    return changes;
}

void Membership::clear() {
    for (auto& spans : spans_) {
        spans.clear();
    }
}

}  // namespace isotick::harness
