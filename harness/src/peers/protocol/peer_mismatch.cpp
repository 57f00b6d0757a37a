// When chains of hashes differ, peers tell each other their hashes tick by tick.

#include "peer_core.hpp"

#include <utility>

namespace isotick::harness {

void Peer::Core::look_at_doubt() {
    if (!hashes_.doubt() || mismatch_) {
        details_[options_.self].reset();
        return;
    }
    const HashDoubt doubt = *hashes_.doubt();
    auto& own = details_[options_.self];
    if (!own || own->first != doubt.first || own->hashes.size() != doubt.last - doubt.first) {
        own = own_details();
        doubted_ns_ = now_ns_;
    }
    bool all = true;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        auto& details = details_[peer];  // what is about other ticks is none
        const bool is_about = details && details->first < doubt.last &&
                              details->first + details->hashes.size() > doubt.first;
        details = is_about ? std::move(details) : std::nullopt;
        const bool is_whole = details && details->first <= doubt.first &&
                              details->first + details->hashes.size() >= doubt.last;
        const Link& link = links_[peer];
        all = all && (is_self(peer) || !link.synced || link.suspect || is_whole);
    }
    if (!all && now_ns_ - doubted_ns_ <= options_.silence_ns * 2 / 3) {
        return;
    }
    mismatch_ = judge_details(details_);
    if (mismatch_) {
        state_ = PeerState::disagreed;
        return;
    }
    if (hashes_.drop_doubt(doubt.about ? details_[*doubt.about] : std::nullopt)) {
        refuse(*doubt.about, "hashes that are not those that it tells one by one");
    }
    details_[options_.self].reset();
}

HashDetails Peer::Core::own_details() const {
    HashDetails own = hashes_.details();
    for (std::uint64_t tick = own.first; tick < own.first + own.hashes.size(); ++tick) {
        for (std::uint32_t source = 0; source < options_.peers; ++source) {
            const InputLog& log = sources_[source].log;
            const bool is_known =
                members_.takes_part(source, tick) && log.begin() <= tick && tick < log.end();
            own.inputs.push_back(
                is_known ? static_cast<std::uint32_t>(core::hash_bytes(log.at(tick))) : 0);
        }
    }
    return own;
}

std::string_view Peer::Core::take_details(std::uint32_t from, std::span<const std::byte> told) {
    auto details = read_details(told, options_.peers);
    if (!details) {
        return "hashes that make no sense";
    }
    hashes_.share_doubt(*details);
    details_[from] = std::move(details);
    return {};
}

}  // namespace isotick::harness
