// When chains of hashes differ, peers tell each other their hashes tick by tick.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

void Peer::Core::look_at_doubt() {
    constexpr std::int64_t kPatience = 2'000'000'000;
    if (!hashes_.doubt() || mismatch_) {
        return;
    }
    const auto [first, last] = *hashes_.doubt();
    if (!details_[options_.self]) {
        HashDetails own = hashes_.details();
        for (std::uint64_t tick = first; tick < last; ++tick) {
            for (std::uint32_t source = 0; source < options_.peers; ++source) {
                own.inputs.push_back(input_digest(source, tick));
            }
        }
        details_[options_.self] = std::move(own);
        doubted_ns_ = now_ns_;
    }
    for (auto& details : details_) {  // what is about other ticks is none
        const bool is_about =
            details && details->first < last && details->first + details->hashes.size() > first;
        details = is_about ? std::move(details) : std::nullopt;
    }
    bool all = true;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        all = all && (is_self(peer) || !link.synced || link.suspect || details_[peer]);
    }
    if (all || now_ns_ - doubted_ns_ > kPatience) {
        mismatch_ = judge_details(details_);
        if (mismatch_) {
            state_ = PeerState::disagreed;
            return;
        }
        hashes_.drop_doubt();  // whoever raised it, no hash bears it out
        details_.assign(options_.peers, std::nullopt);
    }
}

std::uint32_t Peer::Core::input_digest(std::uint32_t source, std::uint64_t tick) const {
    const InputLog& log = sources_[source].log;
    const bool is_known =
        members_.takes_part(source, tick) && log.begin() <= tick && tick < log.end();
    return is_known ? static_cast<std::uint32_t>(core::hash_bytes(log.at(tick))) : 0;
}

std::string_view Peer::Core::take_details(std::uint32_t from, std::span<const std::byte> bytes) {
    auto details = read_details(bytes, options_.peers);
    if (!details) {
        return "hashes that make no sense";
    }
    hashes_.share_doubt(details->first, details->first + details->hashes.size());
    details_[from] = std::move(details);
    return {};
}

}  // namespace isotick::harness
