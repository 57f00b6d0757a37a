#include "peer_core.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
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

}  // namespace isotick::harness
