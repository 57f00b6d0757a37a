// The public functions of a peer, its options, its pace, and what it does when hashes differ.

#include "peer_core.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/peer.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace isotick::harness {

Peer::Core::Core(const PeerOptions& options)
    : options_(options),
      tick_ns_(std::max<std::int64_t>(1, options.rate.time_of(1))),
      state_(options.joins ? PeerState::joining : PeerState::running),
      members_(options),
      sources_(options.peers),
      links_(options.peers),
      delay_(options.input_delay),
      held_(options.peers, Membership::kNever),
      dropping_since_(options.peers),
      guesses_(options.most_guessed + 2, options.peers),
      inputs_(std::size_t{options.players} + 1),
      hashes_(options.hash_every, options.peers),
      details_(options.peers) {
    is_member_ = members_.is_active(options.self) && !options.joins;
    if (options.joins) {
        members_.clear();  // what there is, it is told with its snapshot
    }
    for (std::uint32_t player = 0; player < options.players; ++player) {
        inputs_[player].player = player;
    }
    inputs_.back().player = ISOTICK_WORLD;
    for (std::uint32_t peer = 0; peer < options.peers; ++peer) {
        for (const std::uint32_t player : players_of(peer, options)) {
            sources_[peer].columns.push_back(std::min(player, options.players));
        }
        sources_[peer].neutral.resize(sources_[peer].columns.size());
        sources_[peer].asked.resize(options.peers);
        sources_[peer].asked_lives.resize(options.peers);
        sources_[peer].keeps_later.resize(options.peers);
        sources_[peer].froze.resize(options.peers);
        links_[peer].synced = members_.is_active(peer) && !options.joins;
    }
}

PeerStatistics Peer::Core::statistics() const {
    PeerStatistics statistics = statistics_;
    statistics.confirmed = verified();
    statistics.input_delay = delay_;
    return statistics;
}

core::Result<Peer> Peer::make(const PeerOptions& options) {
    ISOTICK_TRY(check_peer_options(options));
    return Peer(std::make_unique<Core>(options));
}

Peer::Peer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Peer::~Peer() = default;
Peer::Peer(Peer&&) noexcept = default;
Peer& Peer::operator=(Peer&&) noexcept = default;

void Peer::set_guess(PeerGuess guess) {
    core_->set_guess(std::move(guess));
}
std::optional<core::Tick> Peer::wanted_input() const {
    return core_->wanted_input();
}
core::Result<void> Peer::add_input(std::span<const isotick_input> inputs) {
    return core_->add_input(inputs);
}
void Peer::receive(std::uint32_t from, std::span<const std::byte> packet) {
    core_->receive(from, packet);
}
PeerFrame Peer::begin_frame(std::int64_t now_ns, std::uint64_t due) {
    return core_->begin_frame(now_ns, due);
}
std::optional<PeerStep> Peer::next_step() {
    return core_->next_step();
}
void Peer::add_hash(core::Tick tick, core::StateHash hash) {
    core_->add_hash(tick, hash);
}
std::optional<OutgoingPacket> Peer::next_packet() {
    return core_->next_packet();
}
std::optional<std::uint64_t> Peer::wanted_snapshot() const {
    return core_->wanted_snapshot();
}
core::Result<void> Peer::add_snapshot(std::vector<std::byte> snapshot) {
    return core_->add_snapshot(std::move(snapshot));
}
std::optional<Peer::Arrival> Peer::take_arrival() {
    return core_->take_arrival();
}
void Peer::leave() {
    core_->leave();
}
PeerState Peer::state() const {
    return core_->state();
}
core::Tick Peer::tick() const {
    return core::Tick{core_->tick()};
}
std::uint64_t Peer::verified() const {
    return core_->verified();
}
std::uint64_t Peer::confirmed() const {
    return core_->confirmed();
}
std::span<const Presence> Peer::presence(std::uint32_t peer) const {
    return core_->members().presence(peer);
}
bool Peer::is_stalled() const {
    return core_->is_stalled();
}
std::uint64_t Peer::waits_for() const {
    return core_->waits_for();
}
const std::optional<HashMismatch>& Peer::mismatch() const {
    return core_->mismatch();
}
const std::vector<std::string>& Peer::complaints() const {
    return core_->complaints();
}
PeerStatistics Peer::statistics() const {
    return core_->statistics();
}

core::Result<void> check_peer_options(const PeerOptions& options) {
    const auto wrong = [](std::string text) {
        return core::fail(core::ErrorCode::usage, std::move(text));
    };
    if (options.peers < 1 || options.peers > kMostPeers) {
        return wrong("a session has from 1 to 64 peers, not " + std::to_string(options.peers));
    }
    if (options.self >= options.peers) {
        return wrong("there is no peer " + std::to_string(options.self) + " among " +
                     std::to_string(options.peers));
    }
    if (options.incarnation >= kMostLives || (options.incarnation > 0 && !options.joins)) {
        return wrong("a peer that was there before joins, and up to 63 times");
    }
    if (options.spectators >= options.peers) {
        return wrong("a session needs a peer that is no spectator");
    }
    const std::uint32_t playing = options.peers - options.spectators;
    if (static_cast<std::uint32_t>(std::countr_one(options.late)) >= playing) {
        return wrong("no peer with players is there from the start");
    }
    if (options.players < playing) {
        return wrong("the session has fewer players (" + std::to_string(options.players) +
                     ") than peers (" + std::to_string(playing) + ") to play them");
    }
    if (options.input_delay > 60) {
        return wrong("an input can be delayed by 60 ticks at most, not by " +
                     std::to_string(options.input_delay));
    }
    if (options.most_guessed < 1 || options.most_guessed > 128) {
        return wrong("a peer can run from 1 to 128 ticks ahead, not " +
                     std::to_string(options.most_guessed));
    }
    if (options.hash_every < 1 || options.hash_every > 64) {
        return wrong("hashes are reported every 1 to 64 ticks, not every " +
                     std::to_string(options.hash_every));
    }
    if (options.silence_ns <= 0) {
        return wrong("the time after which a silent peer counts as gone must be above zero");
    }
    return {};
}

std::vector<std::uint32_t> players_of(std::uint32_t peer, const PeerOptions& options) {
    std::vector<std::uint32_t> players;
    const std::uint32_t playing = options.peers - options.spectators;
    for (std::uint32_t player = peer; peer < playing && player < options.players;
         player += playing) {
        players.push_back(player);
    }
    if (peer == 0) {
        players.push_back(ISOTICK_WORLD);
    }
    return players;
}

std::string_view to_string(PeerState state) {
    switch (state) {
        case PeerState::joining:
            return "joining";
        case PeerState::running:
            return "running";
        case PeerState::finished:
            return "finished";
        case PeerState::left:
            return "left";
        case PeerState::dropped:
            return "dropped";
        case PeerState::alone:
            return "alone";
        case PeerState::disagreed:
            return "disagreed";
    }
    return "";
}

// Whoever is ahead of the others waits: else it guesses more than it need, and the others less.

// In quarters of ticks, as far as is known here: the other has gone on since it sent what came.
std::int64_t Peer::Core::advantage_over(const Link& link) const {
    constexpr std::int64_t kMost = 127;
    if (!link.heard) {
        return 0;
    }
    const std::int64_t age = now_ns_ - link.tick_at_ns + link.round_trip.mean_ns() / 2;
    const auto theirs = static_cast<std::int64_t>(std::min(link.tick, tick_ + kMostAhead));
    const std::int64_t ahead = 4 * (static_cast<std::int64_t>(tick_) - theirs) - 4 * age / tick_ns_;
    return std::clamp(ahead, -kMost, kMost);
}

bool Peer::Core::should_wait() {
    constexpr std::int64_t kUnit = 64;  // of ahead_, in a tick
    constexpr std::int64_t kTooFar = kUnit * 5 / 4;
    constexpr std::uint64_t kSeldom = 8;  // ticks between two waits
    if (options_.mode != PeerMode::rollback) {
        return false;
    }
    std::optional<std::int64_t> most;
    for (std::uint32_t peer = 0; peer < options_.peers; ++peer) {
        const Link& link = links_[peer];
        if (!is_self(peer) && members_.is_active(peer) && !link.suspect && link.heard) {
            const std::int64_t half = (advantage_over(link) - link.advantage) * kUnit / 8;
            most = std::max(most.value_or(half), half);
        }
    }
    ahead_ += (most.value_or(0) - ahead_) / 8;
    if (ahead_ < kTooFar || tick_ < waited_at_ + kSeldom) {
        return false;
    }
    waited_at_ = tick_;
    return true;
}

// When chains of hashes differ, peers tell each other their hashes tick by tick.

void Peer::Core::look_at_doubt() {
    const bool counts = (is_running() || state_ == PeerState::finished) &&
                        parted_at_ == Membership::kNever;  // what it ran
    if (!hashes_.doubt() || mismatch_ || !counts) {
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
