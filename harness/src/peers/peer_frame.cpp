// A peer's frame, and whose inputs it knows or guesses.

#include "peer_core.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness {

// A frame: what came is looked at, wrong guesses are undone, ticks are run.

PeerFrame Peer::Core::begin_frame(std::int64_t now_ns, std::uint64_t due) {
    constexpr std::uint64_t kForgetEvery = 64;  // frames
    const std::int64_t passed_ns = time_passed(now_ns, due);
    now_ns_ = std::max(now_ns_, now_ns);
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        Link& link = links_[peer];
        link.last_heard_ns = !began_ || link.heard_lately ? now_ns_ : link.last_heard_ns;
        link.heard_lately = false;
        link.flood_ns = std::max<std::int64_t>(0, link.flood_ns - passed_ns);
        if (link.flood_ns > options_.silence_ns && link.refused <= kMostRefused) {
            refuse(peer, "a flood of packets");
            link.refused = kMostRefused + 1;
        }
    }
    began_ = true;
    is_stalled_ = false;
    if (++frames_ % kForgetEvery == 0) {
        forget_old_inputs();
    }
    next_to_ = 0;
    pieces_left_ = kPiecesInFrame;
    look_for_silence();
    look_for_decisions();
    update_confirmed();
    PeerFrame frame;
    again_until_ = tick_;
    frame.back = go_back();
    hashes_.confirm(verified());
    look_at_doubt();
    adapt_delay();
    update_state();
    if (!is_running() || is_over()) {
        due_ = 0;
        return frame;
    }
    frame.waits = due > 0 && should_wait();
    due_ = catch_up(due) - (frame.waits ? 1 : 0);
    statistics_.waits += frame.waits ? 1 : 0;
    return frame;
}

// For what others may send. No network holds back more than their silence would be.
std::int64_t Peer::Core::time_passed(std::int64_t now_ns, std::uint64_t due) const {
    const auto ticks = static_cast<std::int64_t>(std::min(due, kMostAhead));
    return std::max(now_ns - now_ns_, ticks * tick_ns_);
}

// Undoes the ticks from the first one whose guess was wrong on; returns how many.
std::uint64_t Peer::Core::go_back() {
    auto wrong = guesses_.first_wrong(
        guesses_checked_, tick_,
        [this](std::uint32_t peer, std::uint64_t tick) { return known_inputs(peer, tick); });
    if (std::exchange(runs_again_, false) && guesses_checked_ < tick_) {
        wrong = guesses_checked_;
    }
    guesses_checked_ = std::min(confirmed_, wrong.value_or(tick_));
    if (!wrong) {
        return 0;
    }
    const std::uint64_t back = tick_ - *wrong;
    tick_ = *wrong;
    ++statistics_.rollbacks;
    statistics_.run_again += back;
    statistics_.most_back = std::max(statistics_.most_back, back);
    return back;
}

// More than is due where the others are ahead: whoever was held up, or has joined.
std::uint64_t Peer::Core::catch_up(std::uint64_t due) const {
    constexpr std::uint64_t kMostMore = 8;
    const std::uint64_t usual = options_.mode == PeerMode::lockstep ? delay_ + 2 : 2;
    const std::uint64_t known = confirmed_ > again_until_ ? confirmed_ - again_until_ : 0;
    if (due == 0 || known <= usual + due) {
        return due;
    }
    return due + std::min(kMostMore, 1 + (known - usual - due) / 8);
}

std::uint64_t Peer::Core::run_limit() const {
    std::uint64_t limit = confirmed_;
    if (options_.mode == PeerMode::rollback) {
        const std::uint64_t own_end = known_end(options_.self);
        // Guesses are looked at when a frame begins: no more ticks than are kept wait for that.
        limit = std::min({own_end, confirmed_ + options_.most_guessed,
                          guesses_checked_ + options_.most_guessed + 2});
    }
    return limit;
}

std::optional<PeerStep> Peer::Core::next_step() {
    const bool again = tick_ < again_until_;
    if (!again) {
        update_confirmed();
        if (!is_running() || due_ == 0 || is_over()) {
            return std::nullopt;
        }
        if (tick_ >= run_limit()) {
            statistics_.stalls += is_stalled_ ? 0 : 1;
            is_stalled_ = true;
            return std::nullopt;
        }
        --due_;
    }
    PeerStep step;
    step.tick = core::Tick{tick_};
    step.again = again;
    guesses_.begin(tick_);
    fill_in(step);
    step.saves = step.guessed != 0;
    guesses_checked_ += guesses_checked_ == tick_ && !step.saves ? 1 : 0;
    step.inputs = inputs_;
    ++tick_;
    ++statistics_.steps;
    return step;
}

void Peer::Core::fill_in(PeerStep& step) {
    for (std::uint32_t peer = 0; peer < options_.peers - options_.spectators; ++peer) {
        if (const auto inputs = known_inputs(peer, tick_)) {
            read_inputs(*inputs, sources_[peer].columns, inputs_);
        } else {
            guess(step, peer);
        }
    }
}

void Peer::Core::guess(PeerStep& step, std::uint32_t peer) {
    const PeerInputs& source = sources_[peer];
    const bool any = source.log.end() > source.log.begin();
    std::span<const std::byte> inputs =
        any ? source.log.at(source.log.end() - 1) : std::span<const std::byte>(source.neutral);
    read_inputs(inputs, source.columns, inputs_);
    if (guess_) {
        guessed_inputs_.clear();
        for (const std::uint32_t column : source.columns) {
            guessed_inputs_.push_back(inputs_[column]);
        }
        guess_(peer, core::Tick{tick_}, guessed_inputs_);
        scratch_.clear();
        put_entry(scratch_, guessed_inputs_);
        inputs = scratch_;
        for (std::size_t i = 0; i < source.columns.size(); ++i) {
            inputs_[source.columns[i]] = guessed_inputs_[i];
        }
    }
    guesses_.add(tick_, peer, inputs);
    step.guessed |= std::uint64_t{1} << peer;
}

void Peer::Core::add_hash(core::Tick tick, core::StateHash hash) {
    hashes_.add(tick.value, hash);
}

// In lockstep a tick's inputs should be there before it is due: half a round trip to the farthest
// peer, and how much that varies.
void Peer::Core::adapt_delay() {
    constexpr std::int64_t kEvery = 1'000'000'000;
    constexpr std::uint32_t kMostDelay = 60;
    if (options_.mode != PeerMode::lockstep || !options_.adapts_delay ||
        now_ns_ - delay_looked_ns_ < kEvery) {
        return;
    }
    delay_looked_ns_ = now_ns_;
    std::int64_t longest = 0;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!is_self(peer) && members_.is_active(peer) && !link.suspect) {
            longest = std::max(longest,
                               link.round_trip.mean_ns() / 2 + 2 * link.round_trip.deviation_ns());
        }
    }
    const auto wanted = std::clamp<std::uint32_t>(
        static_cast<std::uint32_t>(longest / tick_ns_) + 2, 1, kMostDelay);
    delay_ = wanted > delay_ ? wanted : wanted + 1 < delay_ ? delay_ - 1 : delay_;
}

// `agreed`: all others have all ticks, and the same hashes. No peer waits forever for one that does
// not say so, or whose doubts nothing confirms.
bool Peer::Core::may_finish(bool agreed) const {
    if (!has_ended_ || !has_end()) {
        return false;
    }
    const std::int64_t waited_ns = now_ns_ - *ended_ns_;
    const auto& doubt = hashes_.doubt();
    return doubt ? !doubt->is_evident && waited_ns > 3 * options_.silence_ns
                 : agreed || waited_ns > options_.silence_ns;
}

void Peer::Core::update_state() {
    ended_ns_ = !ended_ns_ && leaving_ ? std::optional(now_ns_) : ended_ns_;
    const bool has_lingered = leaving_ && now_ns_ - *ended_ns_ > kLinger;
    if (state_ == PeerState::joining && (has_lingered || comes_too_late())) {
        state_ = has_lingered ? PeerState::left : PeerState::dropped;
    }
    if (!is_running()) {
        return;
    }
    if (verified() > moved_to_ || moved_ns_ == 0) {
        moved_to_ = verified();
        moved_ns_ = now_ns_;
    }
    has_all_ = has_all_ || has_end();
    ended_ns_ = !ended_ns_ && has_all_ ? std::optional(now_ns_) : ended_ns_;
    std::uint32_t waiting = 0;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!is_self(peer) && members_.is_active(peer) && !link.suspect) {
            waiting += link.finished && hashes_.is_equal(peer, options_.ticks) ? 0U : 1U;
        }
    }
    const bool stays = now_ns_ - moved_ns_ > options_.silence_ns;
    if (leaving_ && (is_dropped() || has_lingered)) {
        state_ = PeerState::left;
    } else if (is_dropped()) {
        state_ = PeerState::dropped;
    } else if (may_finish(waiting == 0)) {
        state_ = PeerState::finished;
    } else {
        state_ = stays && !has_quorum() ? PeerState::alone : PeerState::running;
    }
}

// Whose inputs are known, and up to which tick.

using core::ErrorCode;
using core::Result;

std::optional<core::Tick> Peer::Core::wanted_input() const {
    if (!is_running() || leaving_ || !takes_part()) {
        return std::nullopt;
    }
    const std::uint64_t next = own().log.end();
    const bool all = options_.ticks != 0 && next >= options_.ticks;
    const bool wanted = next <= std::max(tick_ + delay_, joined_at_) && next < most_own_;
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
    scratch_.clear();
    put_entry(scratch_, inputs);
    if (scratch_.size() > kLongestEntry) {
        return core::fail(ErrorCode::limit,
                          "the inputs of one peer for one tick take more than 32 KiB");
    }
    own().log.append(scratch_);
    return {};
}

// From a proposal to the first tick of a peer that joins: time for two questions and answers, and
// for its first inputs to arrive.
std::uint64_t Peer::Core::notice() const {
    std::int64_t longest = 0;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        longest = members_.is_active(peer) && !link.suspect
                      ? std::max(longest, link.round_trip.mean_ns())
                      : longest;
    }
    const auto round = static_cast<std::uint64_t>(std::min(longest / tick_ns_, kMostRoundTicks));
    return 4 * std::uint64_t{delay_} + 4 + 2 * round + options_.most_guessed;
}

std::optional<std::span<const std::byte>> Peer::Core::known_inputs(std::uint32_t peer,
                                                                   std::uint64_t tick) const {
    const PeerInputs& source = sources_[peer];
    if (!members_.takes_part(peer, tick)) {
        return source.neutral;
    }
    return tick < source.log.end() && tick < held_[peer] ? std::optional(source.log.at(tick))
                                                         : std::nullopt;
}

std::uint64_t Peer::Core::known_end(std::uint32_t peer) const {
    const std::uint64_t end = std::min(sources_[peer].log.end(), held_[peer]);
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
    while (next != nullptr && next->from > log.end()) {  // a life may have ended as it began
        log.append(neutral_entry(sources_[source].columns.size()), next->from - log.end());
        next = members_.next(source, log.end());
    }
}

void Peer::Core::update_confirmed() {
    std::uint64_t least = Membership::kNever;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        least = std::min(least, known_end(peer));
    }
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
bool Peer::Core::take_run(std::uint32_t source, std::uint64_t count,
                          std::span<const std::byte> entry) {
    InputLog& log = sources_[source].log;
    if (entry.size() > kLongestEntry || !is_entry(entry, sources_[source].columns.size())) {
        return false;
    }
    const std::uint64_t end = log.end();
    const Presence* next = members_.next(source, end);
    const std::uint64_t until = next == nullptr ? end : std::min(next->until, tick_ + kMostAhead);
    if (until > end && log.bytes() <= kMostLog) {  // else nobody counts it, or it comes again
        log.append(entry, std::min(count, until - end));
        fill_gap(source);
    }
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
