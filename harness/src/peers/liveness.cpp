#include "liveness.hpp"

#include <isotick/harness/peer.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

constexpr std::int64_t kEvery = 100'000'000;
constexpr std::int64_t kLongestWatchedFrame =
    600'000'000;  // half a second, by a clock that is slow

// None where a link may lose all packets for longer than a second or so.
std::optional<std::int64_t> longest_delay_ns(const LinkSettings& link) {
    constexpr std::uint32_t kMostLoss = 300;
    constexpr std::uint32_t kMostBurst = 20;
    constexpr std::uint64_t kLeastRate = 64'000;
    if (link.trace.trace || link.loss_per_mille > kMostLoss || link.burst > kMostBurst ||
        (link.rate != 0 && link.rate < kLeastRate)) {
        return std::nullopt;
    }
    const auto queued = link.rate == 0 ? 0 : 8'000'000'000 * link.queue / link.rate;
    const std::int64_t held = link.reordering_per_mille > 0 ? link.hold_back_ns : 0;
    return link.delay_ns + link.jitter_ns + held + static_cast<std::int64_t>(queued);
}

bool is_over(const Seated& seated) {
    return seated.driver.peer.state() != PeerState::alone && seated.is_over();
}

bool takes_part(const Peer& peer, std::uint32_t who) {
    const auto presence = peer.presence(who);
    return !presence.empty() && presence.back().until == Presence::kOpen;
}

// Whether somebody is there who takes part, and not only an earlier life.
bool has_seat(const Seat& seat) {
    return seat.seated && seat.seated->driver.peer.state() != PeerState::joining &&
           takes_part(seat.seated->driver.peer, seat.number) &&
           seat.seated->driver.peer.presence(seat.number).back().from >=
               seat.seated->course.first_tick();
}

}  // namespace

std::optional<std::int64_t> longest_delay_ns(const NetworkSpec& network) {
    constexpr std::size_t kMostEvents = 100;
    const NetworkParts& parts = network.parts();
    auto longest = longest_delay_ns(parts.usual);
    for (const LinkRule& rule : parts.rules) {
        const auto delay = longest_delay_ns(network.settings(rule.from, rule.to));
        longest = longest && delay ? std::optional(std::max(*longest, *delay)) : std::nullopt;
    }
    return parts.events.size() > kMostEvents ? std::nullopt : longest;
}

std::int64_t longest_stay_ns(std::int64_t longest_delay_ns, std::size_t others) {
    constexpr std::int64_t kHops = 8;  // silence, question, answer, decision, vote, count, two lost
    const std::int64_t silence = PeerOptions().silence_ns;
    return silence * static_cast<std::int64_t>(others) + silence / 4 +
           kHops * (longest_delay_ns + kLongestWatchedFrame);
}

Liveness::Liveness(const LockstepPlan& plan, std::uint64_t ticks, std::int64_t joining_ns)
    : playing_(plan.peers - std::min(plan.peers, plan.spectators)),
      ticks_(ticks),
      joining_ns_(joining_ns),
      delay_ns_(longest_delay_ns(plan.network)),
      cuts_(plan.network.parts().cuts, std::max(plan.peers, 2U)),
      watched_(plan.peers),
      apart_ns_(plan.peers, std::vector<std::int64_t>(plan.peers)) {}

bool Liveness::holds(std::int64_t now_ns, std::span<const Seat> seats) {
    if (!delay_ns_ || now_ns < looked_ns_ + kEvery) {
        return true;
    }
    looked_ns_ = now_ns;
    const Seat* const one = farthest(seats);
    look(now_ns, seats);
    const Peers all = one != nullptr ? members(*one, seats) : Peers();
    Peers here = all;
    std::erase_if(here, [&](std::uint32_t peer) { return !has_seat(seats[peer]); });
    if (all != members_) {
        members_ = all;  // what was no majority before may be one now
        members_ns_ = now_ns;
    }
    for (const std::uint32_t first : here) {
        for (std::size_t size = all.size(); size * 2 >= all.size() && size > 0; --size) {
            const std::int64_t since = now_ns - longest_stay_ns(*delay_ns_, seats.size() - size);
            const Peers majority = connected(first, here, since);
            const bool is_one =
                majority.size() * 2 > all.size() ||
                (majority.size() * 2 == all.size() && majority.front() == all.front());
            if (majority.size() < size || !is_one || since < members_ns_) {
                continue;
            }
            const std::int64_t joins_since = 2 * since - now_ns - joining_ns_;
            return majority_moves(majority, since, seats) &&
                   (joins_since < members_ns_ ||
                    joiners_get_in(majority, here, joins_since, seats));
        }
    }
    return true;
}

void Liveness::look(std::int64_t now_ns, std::span<const Seat> seats) {
    cuts_.advance(now_ns);
    for (const Seat& seat : seats) {
        Watched& watched = watched_[seat.number];
        const auto id = seat.seated ? std::optional(seat.seated->id) : std::nullopt;
        if (!id || id != watched.id || !seat.faults.empty() ||
            seat.seated->driver.next_ns - now_ns > kLongestWatchedFrame) {
            watched.away_ns = now_ns;
        }
        const std::uint64_t verified = id ? seat.seated->driver.peer.verified() : 0;
        if (id != watched.id || verified > watched.verified) {
            watched.moved_ns = now_ns;
        }
        watched.id = id;
        watched.verified = verified;
        for (const Seat& other : seats) {
            if (cuts_.part(seat.number, other.number)) {
                apart_ns_[seat.number][other.number] = now_ns;
            }
        }
    }
}

bool Liveness::reach(std::uint32_t one, std::uint32_t other, std::int64_t since_ns) const {
    return watched_[one].away_ns < since_ns && watched_[other].away_ns < since_ns &&
           apart_ns_[one][other] < since_ns && apart_ns_[other][one] < since_ns;
}

// Of those who have a state and are not out.
const Seat* Liveness::farthest(std::span<const Seat> seats) {
    const Seat* farthest = nullptr;
    for (const Seat& seat : seats) {
        const bool counts = seat.seated && seat.faults.empty() && !is_over(*seat.seated) &&
                            seat.seated->driver.peer.state() != PeerState::joining;
        if (counts && (farthest == nullptr || seat.seated->driver.peer.verified() >
                                                  farthest->seated->driver.peer.verified())) {
            farthest = &seat;
        }
    }
    return farthest;
}

// Those who take part, as one of them knows; without those who said good-bye.
Liveness::Peers Liveness::members(const Seat& one, std::span<const Seat> seats) const {
    Peers members;
    for (std::uint32_t peer = 0; peer < playing_; ++peer) {
        const bool leaves = seats[peer].seated && seats[peer].seated->leaving;
        if (takes_part(one.seated->driver.peer, peer) && !leaves) {
            members.push_back(peer);
        }
    }
    return members;
}

// Those who reach each other, `first` one of them; ascending.
Liveness::Peers Liveness::connected(std::uint32_t first, const Peers& among,
                                    std::int64_t since_ns) const {
    Peers group;
    if (reach(first, first, since_ns)) {
        group.push_back(first);
    }
    for (const std::uint32_t peer : among) {
        const bool reaches_all = std::ranges::all_of(
            group, [&](std::uint32_t other) { return reach(peer, other, since_ns); });
        if (peer != first && !group.empty() && reaches_all) {
            group.push_back(peer);
        }
    }
    std::ranges::sort(group);
    return group;
}

bool Liveness::majority_moves(const Peers& majority, std::int64_t since_ns,
                              std::span<const Seat> seats) const {
    return std::ranges::all_of(majority, [&](std::uint32_t peer) {
        const Seated* seated = seats[peer].seated.get();
        return watched_[peer].moved_ns >= since_ns || watched_[peer].verified >= ticks_ ||
               seated == nullptr || is_over(*seated) || seated->leaving;
    });
}

// Whoever is there beside the majority, and reaches it, has its snapshot, its seat, and follows.
bool Liveness::joiners_get_in(const Peers& majority, const Peers& members, std::int64_t since_ns,
                              std::span<const Seat> seats) const {
    return std::ranges::all_of(seats, [&](const Seat& seat) {
        const std::uint32_t peer = seat.number;
        const bool reaches_all = std::ranges::all_of(
            majority, [&](std::uint32_t other) { return reach(peer, other, since_ns); });
        if (!seat.seated || seat.seated->leaving || is_over(*seat.seated) || !reaches_all ||
            watched_[majority.front()].verified >= ticks_ || watched_[peer].verified >= ticks_) {
            return true;
        }
        const bool has_seat = peer >= playing_ || std::ranges::find(members, peer) != members.end();
        return has_seat && watched_[peer].moved_ns >= since_ns;
    });
}

}  // namespace isotick::harness
