// A frame: what came is looked at, wrong guesses are undone, ticks are run.

#include "peer_core.hpp"

#include <algorithm>

namespace isotick::harness {

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
    apply_agreed();
    decide_drops();
    admit_ready();
    announce_at_end();
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
    const auto wrong = guesses_.first_wrong(
        guesses_checked_, tick_,
        [this](std::uint32_t peer, std::uint64_t tick) { return known_inputs(peer, tick); });
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
        limit = std::min({own_end, confirmed_ + options_.most_guessed, first_pending_join(),
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
    auto inputs = any ? inputs_in(source.log.at(source.log.end() - 1)) : source.neutral;
    read_inputs(inputs, source.columns, inputs_);
    if (guess_) {
        guessed_inputs_.clear();
        for (const std::uint32_t column : source.columns) {
            guessed_inputs_.push_back(inputs_[column]);
        }
        guess_(peer, core::Tick{tick_}, guessed_inputs_);
        scratch_.clear();
        put_entry(scratch_, {}, guessed_inputs_);
        inputs = inputs_in(scratch_);
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

// `agreed`: all others have all ticks, and the same hashes. Nobody waits for ever for one that does
// not say so, or whose doubts nothing bears out.
bool Peer::Core::may_finish(bool agreed) const {
    const std::int64_t waited_ns = now_ns_ - *ended_ns_;
    const auto& doubt = hashes_.doubt();
    return doubt ? !doubt->is_evident && waited_ns > 3 * options_.silence_ns
                 : agreed || waited_ns > options_.silence_ns;
}

void Peer::Core::update_state() {
    ended_ns_ = !ended_ns_ && leaving_ ? std::optional(now_ns_) : ended_ns_;
    const bool has_lingered = leaving_ && now_ns_ - *ended_ns_ > kLinger;
    if (state_ == PeerState::joining && has_lingered) {
        state_ = PeerState::left;
    }
    if (!is_running()) {
        return;
    }
    if (verified() > moved_to_ || moved_ns_ == 0) {
        moved_to_ = verified();
        moved_ns_ = now_ns_;
    }
    const bool ran_all = options_.ticks != 0 && verified() >= options_.ticks;
    ended_ns_ = !ended_ns_ && ran_all ? std::optional(now_ns_) : ended_ns_;
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
    } else if (ran_all && may_finish(waiting == 0)) {
        state_ = PeerState::finished;
    } else {
        state_ = stays && !has_quorum() ? PeerState::alone : PeerState::running;
    }
}

}  // namespace isotick::harness
