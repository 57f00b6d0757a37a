#include "live_messages.hpp"

#include "../run/message_archives.hpp"
#include "../run/message_fields.hpp"

namespace isotick::harness {

template <>
inline constexpr auto kLastOf<PeerMode> = PeerMode::rollback;
template <>
inline constexpr auto kLastOf<PeerState> = PeerState::disagreed;
template <>
inline constexpr auto kLastOf<PeerEvent::Kind> = PeerEvent::Kind::pause;
template <>
inline constexpr auto kLastOf<UdpEnd> = UdpEnd::timed_out;

template <class Archive>
void serialize(Archive& archive, PeerOptions& options) {
    auto& [mode, peers, spectators, late, self, players, rate, ticks, cookie, incarnation, joins,
           input_delay, adapts_delay, most_guessed, hash_every, silence_ns] = options;
    archive_fields(archive, mode, peers, spectators, late, self, players, rate, ticks, cookie,
                   incarnation, joins, input_delay, adapts_delay, most_guessed, hash_every,
                   silence_ns);
}

template <class Archive>
void serialize(Archive& archive, PeerFrames& frames) {
    auto& [loop, schedule, drift_ppm, start_ns] = frames;
    archive_fields(archive, loop, schedule, drift_ppm, start_ns);
}

template <class Archive>
void serialize(Archive& archive, PeerEvent& event) {
    auto& [kind, peer, at_ns, for_ns] = event;
    archive_fields(archive, kind, peer, at_ns, for_ns);
}

template <class Archive>
void serialize(Archive& archive, PeerStatistics& counted) {
    auto& [confirmed, steps, rollbacks, run_again, most_back, stalls, waits, packets_sent,
           bytes_sent, packets_received, packets_refused, strangers, input_delay] = counted;
    archive_fields(archive, confirmed, steps, rollbacks, run_again, most_back, stalls, waits,
                   packets_sent, bytes_sent, packets_received, packets_refused, strangers,
                   input_delay);
}

template <class Archive>
void serialize(Archive& archive, HashMismatch& mismatch) {
    auto& [tick, minority, two_faced] = mismatch;
    archive_fields(archive, tick, minority, two_faced);
}

template <class Archive>
void serialize(Archive& archive, Presence& presence) {
    auto& [from, until] = presence;
    archive_fields(archive, from, until);
}

template <class Archive>
void serialize(Archive& archive, LinkStatistics& counted) {
    auto& [sent, sent_bytes, delivered, delivered_bytes, lost, overflowed, cut_off, duplicated,
           overtaken, in_flight] = counted;
    archive_fields(archive, sent, sent_bytes, delivered, delivered_bytes, lost, overflowed, cut_off,
                   duplicated, overtaken, in_flight);
}

template <class Archive>
void serialize(Archive& archive, UdpPeer& one) {
    auto& [peer, incarnation, end, reason, recording, output, state, statistics, strangers,
           first_tick, hashes, mismatch, complaints, presence] = one;
    archive_fields(archive, peer, incarnation, end, reason, recording, output, state, statistics,
                   strangers, first_tick, hashes, mismatch, complaints, presence);
}

template <class Archive>
void serialize(Archive& archive, RelayRequest& request) {
    auto& [network, traces, nodes, seed, port] = request;
    archive_fields(archive, network, traces, nodes, seed, port);
}

template <class Archive>
void serialize(Archive& archive, LivePeerRequest& request) {
    auto& [simulation, environment, recording, options, frames, events, relay_port, output,
           needs_snapshots] = request;
    archive_fields(archive, simulation, environment, recording, options, frames, events, relay_port,
                   output, needs_snapshots);
}

template <class Archive>
void serialize(Archive& archive, LiveRequest& request) {
    auto& [cookie, speed, role] = request;
    archive_fields(archive, cookie, speed, role);
}

template <class Archive>
void serialize(Archive& archive, RelayAnswer& answer) {
    auto& [traffic, strangers] = answer;
    archive_fields(archive, traffic, strangers);
}

std::string bytes_of(const LiveRequest& request) {
    return to_bytes(request);
}

std::string bytes_of(const LiveAnswer& answer) {
    return to_bytes(answer);
}

core::Result<LiveRequest> parse_live_request(std::string_view bytes) {
    return from_bytes<LiveRequest>(bytes);
}

core::Result<LiveAnswer> parse_live_answer(std::string_view bytes) {
    return from_bytes<LiveAnswer>(bytes);
}

}  // namespace isotick::harness
