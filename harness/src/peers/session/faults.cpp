#include "faults.hpp"

#include "../protocol/wire/packet.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>

namespace isotick::harness {
namespace {

using core::Bytes;
using core::Result;

// Flips a bit of the last input for a tick from kFaultyFrom on that has bytes.
bool alter_inputs(std::span<const std::byte> packet, Bytes& changed) {
    Packet read;
    if (!read_packet(packet, read) || !read.inputs) {
        return false;
    }
    changed.assign(packet.begin(), packet.end());
    bool altered = false;
    std::uint64_t tick = read.inputs->first;
    const auto alter = [&](std::uint64_t count, std::span<const std::byte> entry) {
        if (tick >= kFaultyFrom && entry.size() > 2) {
            changed[static_cast<std::size_t>(&entry.back() - packet.data())] ^= std::byte{1};
            altered = true;
        }
        tick += count;
        return true;
    };
    return each_run(read.inputs->bytes, alter) && altered;
}

Bytes front(std::uint32_t cookie, const Seat& seat, std::uint64_t tick) {
    Bytes bytes;
    core::put(bytes, cookie);
    core::put(bytes, static_cast<std::uint8_t>(seat.number));
    core::put(bytes, std::uint8_t{0x10});  // inputs
    core::put_varint(bytes, tick);
    core::put(bytes, std::uint8_t{0});
    return bytes;
}

// Inputs for a million ticks from the very next one on.
Bytes far_ahead(std::uint32_t cookie, const Seat& seat) {
    const std::uint64_t tick = seat.seated->peer.tick().value;
    Bytes bytes = front(cookie, seat, tick);
    Bytes runs;
    core::put_varint(runs, 1'000'000);
    core::put_varint(runs, 2);
    core::put(runs, std::uint16_t{0});
    put_difference(bytes, tick, tick);
    core::put_varint(bytes, runs.size());
    core::put_bytes(bytes, runs);
    return bytes;
}

// Other inputs of its own than it sends. Ticks that are run again have them again.
void alter_own(Seat& seat, const SessionInputs& inputs) {
    CourseWriter& course = seat.seated->course;
    const std::uint64_t end = seat.seated->peer.tick().value;
    for (core::Tick tick{std::max(kFaultyFrom, end - std::min(end, course.latest_steps()))};
         tick.value < end; ++tick.value) {
        isotick_input input = inputs.of(tick)[seat.number];
        std::vector<std::uint8_t> altered(input.data, input.data + input.size);
        altered.resize(std::max<std::size_t>(1, altered.size()));
        altered.back() ^= 1U;
        input.present = 1;
        input.size = altered.size();
        input.data = altered.data();
        course.replace_input(tick, input);
    }
}

constexpr std::uint64_t kLatest = 128;  // ticks that a course can still be changed in

// One more input of somebody who left, where the others have none.
void keep_leavers(Seat& seat, const SessionInputs& inputs, std::uint32_t playing) {
    for (std::uint32_t other = 0; other < playing; ++other) {
        const auto presence = seat.seated->peer.presence(other);
        const std::uint64_t until = presence.empty() ? 0 : presence.back().until;
        const bool is_new = seat.kept_until < until && until < seat.seated->peer.verified() &&
                            until >= seat.seated->course.first_tick() &&
                            until + kLatest > seat.seated->peer.verified();
        if (is_new) {
            seat.kept_until = until;
            const core::Tick tick{seat.kept_until};
            seat.seated->course.replace_input(tick, inputs.of(tick)[other]);
        }
    }
}

Bytes malformed(std::uint32_t cookie, core::Pcg32& random) {
    Bytes bytes;
    core::put(bytes, cookie);
    for (std::uint32_t left = random.below(200); left > 0; --left) {
        core::put(bytes, static_cast<std::uint8_t>(random.below(256)));
    }
    return bytes;
}

}  // namespace

bool tampers(const Seat& seat, std::uint32_t to, std::span<const std::byte> packet,
             Bytes& changed) {
    const std::uint32_t victim = seat.number == 0 ? 1 : 0;
    return to == victim && seat.has(PeerFault::two_faced) && alter_inputs(packet, changed);
}

void simulate_otherwise(Seat& seat, const SessionInputs& inputs, std::uint32_t playing) {
    if (seat.has(PeerFault::alters_inputs)) {
        alter_own(seat, inputs);
    }
    if (seat.has(PeerFault::keeps_leaver)) {
        keep_leavers(seat, inputs, playing);
    }
}

Result<void> misbehave(const Seat& seat, std::uint32_t cookie, core::Pcg32& random,
                       SimulatedNetwork& network) {
    if (seat.seated->peer.tick().value < kFaultyFrom) {
        return {};
    }
    for (std::uint32_t to = 0; to < network.nodes(); ++to) {
        if (to == seat.number) {
            continue;
        }
        if (seat.has(PeerFault::far_ahead)) {
            ISOTICK_TRY(network.send(seat.number, to, far_ahead(cookie, seat)));
        }
        if (seat.has(PeerFault::malformed)) {
            ISOTICK_TRY(network.send(seat.number, to, malformed(cookie, random)));
        }
        if (seat.has(PeerFault::oversized)) {
            Bytes bytes = malformed(cookie, random);
            bytes.resize(kLargestPacket + 1 + random.below(3000));
            ISOTICK_TRY(network.send(seat.number, to, bytes));
        }
        const bool floods = seat.has(PeerFault::floods) && to < seat.last_packets.size() &&
                            !seat.last_packets[to].empty();
        for (std::uint32_t left = floods ? 5000 : 0; left > 0; --left) {
            ISOTICK_TRY(network.send(seat.number, to, seat.last_packets[to]));
        }
    }
    return {};
}

}  // namespace isotick::harness
