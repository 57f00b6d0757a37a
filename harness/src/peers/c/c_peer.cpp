// isotick_peer_*: a peer of a session for C.

#include <isotick/core/detail/c_calls.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/isotick_peers.h>
#include <isotick/harness/peer.hpp>

#include <optional>
#include <utility>
#include <vector>

struct isotick_peer {
    isotick::harness::Peer peer;
    std::optional<isotick::harness::Peer::Arrival> arrival;
};

namespace {

using isotick::core::ErrorCode;
using isotick::core::Result;
using isotick::harness::Peer;
using isotick::harness::PeerMode;
using isotick::harness::PeerOptions;
namespace core = isotick::core;
namespace c_api = isotick::core::c_api;

Result<PeerOptions> options_from_c(const isotick_peer_options& given) {
    if (given.mode > ISOTICK_PEER_ROLLBACK || given.incarnation > UINT8_MAX) {
        return core::fail(ErrorCode::usage,
                          "the mode of a peer is 0 or 1, and its incarnation up to 255");
    }
    PeerOptions options;
    const auto unless_zero = [](auto value, auto usual) { return value == 0 ? usual : value; };
    options.mode = static_cast<PeerMode>(given.mode);
    options.peers = given.peers;
    options.spectators = given.spectators;
    options.late = given.late;
    options.self = given.self;
    options.players = given.players;
    if (given.rate_numerator != 0 || given.rate_denominator != 0) {
        ISOTICK_TRY_ASSIGN(options.rate,
                           core::TickRate::make(given.rate_numerator, given.rate_denominator));
    }
    options.ticks = given.ticks;
    options.cookie = given.cookie;
    options.incarnation = static_cast<std::uint8_t>(given.incarnation);
    options.joins = given.joins != 0;
    options.input_delay = unless_zero(given.input_delay, options.input_delay);
    options.input_delay = given.input_delay == ISOTICK_NO_DELAY ? 0 : options.input_delay;
    options.adapts_delay = given.fixed_delay == 0;
    options.most_guessed = unless_zero(given.most_guessed, options.most_guessed);
    options.hash_every = unless_zero(given.hash_every, options.hash_every);
    options.silence_ns = unless_zero(given.silence_ns, options.silence_ns);
    return options;
}

Result<void> create_peer(const isotick_peer_options* given, isotick_peer** out) {
    ISOTICK_TRY_ASSIGN(const auto known, c_api::read_struct(given));
    ISOTICK_TRY_ASSIGN(const auto options, options_from_c(known));
    ISOTICK_TRY_ASSIGN(Peer peer, Peer::make(options));
    if (known.guess != nullptr) {
        peer.set_guess([guess = known.guess, context = known.context](
                           std::uint32_t whose, core::Tick tick, std::span<isotick_input> inputs) {
            guess(context, whose, tick.value, inputs.data(),
                  static_cast<std::uint32_t>(inputs.size()));
        });
    }
    *out = new isotick_peer{std::move(peer), {}};
    return {};
}

std::vector<std::byte> bytes_from_c(const void* data, std::uint64_t size) {
    const auto* const first = static_cast<const std::byte*>(data);
    return {first, first + size};
}

}  // namespace

std::int32_t isotick_peer_create(const isotick_peer_options* options, isotick_peer** out,
                                 isotick_message* message) {
    *out = nullptr;
    return c_api::guard(message, [&] { return create_peer(options, out); });
}

void isotick_peer_destroy(isotick_peer* peer) {
    delete peer;
}

std::int32_t isotick_peer_wanted_input(const isotick_peer* peer, std::uint64_t* tick) {
    const auto wanted = peer->peer.wanted_input();
    *tick = wanted ? wanted->value : 0;
    return wanted ? 1 : 0;
}

std::int32_t isotick_peer_add_input(isotick_peer* peer, const isotick_input* inputs,
                                    std::uint32_t input_count, isotick_message* message) {
    return c_api::guard(message, [&] { return peer->peer.add_input({inputs, input_count}); });
}

void isotick_peer_receive(isotick_peer* peer, std::uint32_t from, const void* data,
                          std::uint64_t size) {
    c_api::guard(nullptr, [&]() -> Result<void> {
        peer->peer.receive(from,
                           {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
        return {};
    });
}

void isotick_peer_begin_frame(isotick_peer* peer, std::int64_t now_ns, std::uint64_t due,
                              isotick_peer_frame* frame) {
    isotick_peer_frame known{};
    c_api::guard(nullptr, [&]() -> Result<void> {
        const auto begun = peer->peer.begin_frame(now_ns, due);
        known.waits = begun.waits ? 1 : 0;
        known.back = begun.back;
        return {};
    });
    c_api::write_struct(known, frame);
}

std::int32_t isotick_peer_next_step(isotick_peer* peer, isotick_peer_step* step) {
    return c_api::value_or(0, [&] {
        const auto next = peer->peer.next_step();
        if (!next) {
            return 0;
        }
        isotick_peer_step known{};
        known.saves = next->saves ? 1 : 0;
        known.tick = next->tick.value;
        known.inputs = next->inputs.data();
        known.input_count = static_cast<std::uint32_t>(next->inputs.size());
        known.again = next->again ? 1 : 0;
        known.guessed = next->guessed;
        c_api::write_struct(known, step);
        return 1;
    });
}

std::int32_t isotick_peer_is_stalled(const isotick_peer* peer) {
    return peer->peer.is_stalled() ? 1 : 0;
}

void isotick_peer_add_hash(isotick_peer* peer, std::uint64_t tick, std::uint64_t hash) {
    c_api::guard(nullptr, [&]() -> Result<void> {
        peer->peer.add_hash({tick}, {hash});
        return {};
    });
}

std::int32_t isotick_peer_next_packet(isotick_peer* peer, isotick_outgoing* packet) {
    return c_api::value_or(0, [&] {
        const auto next = peer->peer.next_packet();
        if (!next) {
            return 0;
        }
        isotick_outgoing known{};
        known.to = next->to;
        known.data = reinterpret_cast<const std::uint8_t*>(next->bytes.data());
        known.size = next->bytes.size();
        c_api::write_struct(known, packet);
        return 1;
    });
}

std::int32_t isotick_peer_wanted_snapshot(const isotick_peer* peer, std::uint64_t* ticks_done) {
    const auto wanted = peer->peer.wanted_snapshot();
    *ticks_done = wanted.value_or(0);
    return wanted ? 1 : 0;
}

std::int32_t isotick_peer_add_snapshot(isotick_peer* peer, const void* data, std::uint64_t size,
                                       isotick_message* message) {
    return c_api::guard(message, [&]() -> Result<void> {
        if (size > isotick::harness::kLargestPeerSnapshot) {
            return core::fail(ErrorCode::limit, "a snapshot of more than 64 MiB");
        }
        return peer->peer.add_snapshot(bytes_from_c(data, size));
    });
}

std::int32_t isotick_peer_take_arrival(isotick_peer* peer, std::uint64_t* ticks_done,
                                       const std::uint8_t** data, std::uint64_t* size) {
    return c_api::value_or(0, [&] {
        auto arrived = peer->peer.take_arrival();
        if (!arrived) {
            return 0;
        }
        peer->arrival = std::move(arrived);
        *ticks_done = peer->arrival->ticks_done;
        *data = reinterpret_cast<const std::uint8_t*>(peer->arrival->snapshot.data());
        *size = peer->arrival->snapshot.size();
        return 1;
    });
}

void isotick_peer_leave(isotick_peer* peer) {
    c_api::guard(nullptr, [&]() -> Result<void> {
        peer->peer.leave();
        return {};
    });
}

std::int32_t isotick_peer_state(const isotick_peer* peer) {
    return static_cast<std::int32_t>(peer->peer.state());
}

std::uint64_t isotick_peer_tick(const isotick_peer* peer) {
    return peer->peer.tick().value;
}

std::uint64_t isotick_peer_verified(const isotick_peer* peer) {
    return peer->peer.verified();
}

std::uint64_t isotick_peer_confirmed(const isotick_peer* peer) {
    return peer->peer.confirmed();
}

std::uint64_t isotick_peer_waits_for(const isotick_peer* peer) {
    return peer->peer.waits_for();
}

std::int32_t isotick_peer_mismatch(const isotick_peer* peer, isotick_hash_mismatch* mismatch) {
    const auto& found = peer->peer.mismatch();
    if (!found) {
        return 0;
    }
    isotick_hash_mismatch known{};
    known.two_faced = found->two_faced.value_or(ISOTICK_ANY_NODE);
    known.tick = found->tick.value;
    for (const std::uint32_t each : found->minority) {
        known.minority |= std::uint64_t{1} << each;
    }
    c_api::write_struct(known, mismatch);
    return 1;
}

const char* isotick_peer_complaint(const isotick_peer* peer, std::uint32_t index) {
    const auto& complaints = peer->peer.complaints();
    return index < complaints.size() ? complaints[index].c_str() : nullptr;
}

void isotick_peer_statistics_of(const isotick_peer* peer, isotick_peer_statistics* statistics) {
    const auto counted = peer->peer.statistics();
    isotick_peer_statistics known{};
    known.input_delay = counted.input_delay;
    known.confirmed = counted.confirmed;
    known.steps = counted.steps;
    known.rollbacks = counted.rollbacks;
    known.run_again = counted.run_again;
    known.most_back = counted.most_back;
    known.stalls = counted.stalls;
    known.waits = counted.waits;
    known.packets_sent = counted.packets_sent;
    known.bytes_sent = counted.bytes_sent;
    known.packets_received = counted.packets_received;
    known.packets_refused = counted.packets_refused;
    known.strangers = counted.strangers;
    c_api::write_struct(known, statistics);
}
