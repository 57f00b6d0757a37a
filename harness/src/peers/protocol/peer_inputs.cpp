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
    const std::uint64_t tick = own().log.end();
    own().log.append(entry);
    remember(options_.self, tick, std::exchange(changes_, {}));
    apply_agreed();
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
    return 4 * std::uint64_t{delay_} + 4 + options_.most_guessed;
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
    least = std::min(least, first_pending_join());
    confirmed_ = least == Membership::kNever ? confirmed_ : std::max(confirmed_, least);
}

std::uint64_t Peer::Core::waits_for() const {
    std::uint64_t peers = 0;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        peers |= known_end(peer) <= tick_ ? std::uint64_t{1} << peer : 0;
    }
    return peers;
}

bool Peer::Core::take_runs(std::uint32_t source, std::uint64_t first,
                           std::span<const std::byte> runs) {
    const std::uint64_t ballot = is_ending(source) ? voted_ballot(source, first, runs) : 0;
    std::uint64_t at = first;
    return each_run(runs, [&](std::uint64_t count, std::span<const std::byte> entry) {
        const std::uint64_t end = sources_[source].log.end();
        const std::uint64_t behind = at + count;
        const bool fits = at <= end && behind > end;  // else a gap, or all of it is known
        at = behind;
        return !fits || take_run(source, behind - end, entry, ballot);
    });
}

// The highest ballot of changes among them that are new and that this peer votes for.
std::uint64_t Peer::Core::voted_ballot(std::uint32_t source, std::uint64_t first,
                                       std::span<const std::byte> runs) const {
    std::uint64_t ballot = 0;
    std::uint64_t at = first;
    const auto look = [&](std::uint64_t count, std::span<const std::byte> entry) {
        at += count;
        const auto changes =
            at > sources_[source].log.end()
                ? changes_in(entry, sources_[source].columns.size(), options_.peers)
                : std::nullopt;
        if (changes && !changes->empty() && votes_for(*changes)) {
            ballot = std::max(ballot, std::ranges::max(*changes, {}, &MemberChange::ballot).ballot);
        }
        return at <= kLastTick;
    };
    return each_run(runs, look) ? ballot : 0;
}

// False where no peer sends that.
bool Peer::Core::take_run(std::uint32_t from, std::uint64_t count, std::span<const std::byte> entry,
                          std::uint64_t ballot) {
    PeerInputs& source = sources_[from];
    if (entry.size() > kLongestEntry) {
        return false;
    }
    const auto changes = changes_in(entry, source.columns.size(), options_.peers);
    if (!changes || (!changes->empty() && count > 1)) {
        return false;
    }
    const std::uint64_t end = source.log.end();
    if (!std::ranges::all_of(
            *changes, [&](const MemberChange& change) { return makes_sense(change, end); })) {
        return false;
    }
    if (end >= source.agreed_until && !votes_for(*changes)) {
        return true;  // not yet, or never
    }
    const Presence* next = members_.next(from, end);
    const std::uint64_t until =
        next == nullptr ? end
                        : std::min({next->until, pending_end(from, ballot), tick_ + kMostAhead});
    const bool is_full = source.pending.size() + changes->size() > 2 * kMostChanges;
    if (until <= end || is_full || source.log.bytes() > kMostLog) {
        return true;  // nobody counts it; or it comes again, when there is room
    }
    source.log.append(entry, std::min(count, until - end));
    fill_gap(from);
    remember(from, end, *changes);
    apply_agreed();
    return true;
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
