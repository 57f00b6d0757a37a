// Whose inputs are known, and up to which tick.

#include "peer_core.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

std::optional<core::Tick> Peer::Core::wanted_input() const {
    if (!is_running() || leaving_ || !takes_part()) {
        return std::nullopt;
    }
    const std::uint64_t next = own().log.end();
    const bool all = options_.ticks != 0 && next >= options_.ticks;
    const bool wanted = next <= std::max(tick_ + delay_, joined_at_) || !changes_.empty();
    return wanted && !all && !lacks(options_.self) ? std::optional(core::Tick{next}) : std::nullopt;
}

Result<void> Peer::Core::add_input(std::span<const isotick_input> inputs) {
    if (!wanted_input()) {
        return core::fail(ErrorCode::usage, "no input is wanted now");
    }
    if (inputs.size() != own().columns.size()) {
        return core::fail(ErrorCode::usage,
                          "this peer has " + std::to_string(own().columns.size()) +
                              " inputs in a tick, not " + std::to_string(inputs.size()));
    }
    const std::uint64_t tick = own().log.end();
    for (MemberChange& change : changes_) {
        change.tick = change.joins ? tick + notice() : change.tick;
    }
    scratch_.clear();
    put_entry(scratch_, changes_, inputs);
    if (scratch_.size() > kLongestEntry) {
        return core::fail(ErrorCode::limit,
                          "the inputs of one peer for one tick take more than 32 KiB");
    }
    contribute(scratch_);
    return {};
}

// Adds an entry with all pending changes to what this peer sends.
void Peer::Core::contribute(std::span<const std::byte> entry) {
    own().log.append(entry);
    for (const MemberChange& change : std::exchange(changes_, {})) {
        apply(change);
    }
}

// Behind its last input a peer that decides has still to say who is gone.
void Peer::Core::announce_at_end() {
    const bool all = options_.ticks != 0 && own().log.end() >= options_.ticks;
    std::erase_if(changes_, [all](const MemberChange& change) { return all && change.joins; });
    if (all && !changes_.empty() && takes_part()) {
        scratch_.clear();
        put_entry(scratch_, changes_, std::vector<isotick_input>(own().columns.size()));
        contribute(scratch_);
    }
}

// Whoever joins must hear of it, and the others get its first inputs, before it counts; and nobody
// may have run that tick on a guess, without it.
std::uint64_t Peer::Core::notice() const {
    return 2 * std::uint64_t{delay_} + 4 + options_.most_guessed;
}

std::optional<std::span<const std::byte>> Peer::Core::known_inputs(std::uint32_t peer,
                                                                   std::uint64_t tick) const {
    const PeerInputs& source = sources_[peer];
    if (!members_.takes_part(peer, tick)) {
        return source.neutral;
    }
    return tick < source.log.end() ? std::optional(inputs_in(source.log.at(tick))) : std::nullopt;
}

std::uint64_t Peer::Core::known_end(std::uint32_t peer) const {
    const std::uint64_t end = sources_[peer].log.end();
    return members_.next(peer, end) != nullptr ? end : Membership::kNever;
}

bool Peer::Core::lacks(std::uint32_t source) const {
    const Presence* next = members_.next(source, sources_[source].log.end());
    return next != nullptr && next->until != Membership::kNever;
}

// Where all inputs of an earlier time are known, those up to the next are nobody's.
void Peer::Core::fill_gap(std::uint32_t source) {
    InputLog& log = sources_[source].log;
    const Presence* next = members_.next(source, log.end());
    if (next != nullptr && next->from > log.end()) {
        log.append(neutral_entry(sources_[source].columns.size()), next->from - log.end());
    }
}

void Peer::Core::update_confirmed() {
    std::uint64_t least = Membership::kNever;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        least = std::min(least, known_end(peer));
    }
    confirmed_ = least == Membership::kNever ? confirmed_ : least;
}

std::uint64_t Peer::Core::waits_for() const {
    std::uint64_t peers = 0;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        peers |= known_end(peer) <= tick_ ? std::uint64_t{1} << peer : 0;
    }
    return peers;
}

void Peer::Core::apply(const MemberChange& change) {
    if (!members_.apply(change)) {
        return;
    }
    PeerInputs& source = sources_[change.peer];
    source.frozen = !change.joins;
    source.promised_to.reset();
    if (!change.joins && !is_self(change.peer) && change.tick < source.log.end()) {
        parted_at_ = std::min(parted_at_, change.tick);
    }
    if (!change.joins) {
        dropping_since_[change.peer].reset();
        for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
            if (sources_[peer].promised_to == change.peer) {
                release(peer);
            }
        }
        return;
    }
    fill_gap(change.peer);
    meet(change.peer, change.life);
    links_[change.peer].ready = false;
    if (is_self(change.peer) && change.life == options_.incarnation) {
        joined_at_ = change.tick;
        is_member_ = true;
    }
}

bool Peer::Core::take_runs(std::uint32_t source, std::uint64_t first,
                           std::span<const std::byte> runs) {
    std::uint64_t at = first;
    return each_run(runs, [&](std::uint64_t count, std::span<const std::byte> entry) {
        const std::uint64_t end = sources_[source].log.end();
        const std::uint64_t behind = at + count;
        const bool fits = at <= end && behind > end;  // else a gap, or all of it is known
        at = behind;
        return !fits || take_run(source, behind - end, entry);
    });
}

// False where no peer sends that.
bool Peer::Core::take_run(std::uint32_t from, std::uint64_t count,
                          std::span<const std::byte> entry) {
    PeerInputs& source = sources_[from];
    if (entry.size() > kLongestEntry) {
        return false;
    }
    const auto changes = changes_in(entry, source.columns.size(), options_.peers);
    if (!changes || (!changes->empty() && count > 1)) {
        return false;
    }
    const std::uint64_t end = source.log.end();
    const bool is_out =
        !takes_part() || std::ranges::any_of(*changes, [&](const MemberChange& change) {
            return is_self(change.peer) && members_.fits(change);
        });
    if (!std::ranges::all_of(*changes, [&](const MemberChange& change) {
            return makes_sense(change, end, is_out);
        })) {
        return false;
    }
    const std::uint64_t room = tick_ + kMostAhead > end ? tick_ + kMostAhead - end : 0;
    if (room == 0 || source.log.bytes() > kMostLog) {
        return true;  // it comes again, when there is room
    }
    source.log.append(entry, std::min(count, room));
    fill_gap(from);
    for (const MemberChange& change : *changes) {
        apply(change);
    }
    return true;
}

// Of a change in an entry for `tick`. Nobody comes at once, and nobody is gone from a tick whose
// input is here: this peer was asked, unless it is out itself.
bool Peer::Core::makes_sense(const MemberChange& change, std::uint64_t tick, bool out) const {
    constexpr std::uint64_t kMostNotice = 512;
    if (!members_.fits(change)) {
        return true;  // it is known, and changes nothing
    }
    if (change.joins) {
        return has_players(change.peer) && change.tick > tick && change.tick - tick <= kMostNotice;
    }
    return out || change.tick >= sources_[change.peer].log.end();
}

void Peer::Core::forget_old_inputs() {
    std::uint64_t needed = verified();
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!is_self(peer) && link.synced && !link.suspect && members_.is_active(peer)) {
            needed = std::min(needed, link.acked);
        }
    }
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const std::uint64_t last = is_self(peer) ? needed : verified();
        InputLog& log = sources_[peer].log;
        const std::uint64_t kept = log.bytes() > kMostLog / 2 ? kLeastKeptTicks : kKeptTicks;
        log.forget_before(last > kept ? last - kept : 0);
    }
}

}  // namespace isotick::harness
