#include "entry.hpp"

#include <isotick/harness/detail/peers/peer_options.hpp>

namespace isotick::harness {
namespace {

// Each input begins with its size and one, or with 0 where it is absent.
bool skip_input(core::ByteReader& reader) {
    const std::uint64_t size = reader.varint(ISOTICK_LONGEST_INPUT + 1);
    return reader.ok() && (size <= 1 || !reader.take(size - 1).empty());
}

}  // namespace

void put_changes(core::Bytes& out, std::span<const MemberChange> changes) {
    core::put_varint(out, changes.size());
    for (const MemberChange& change : changes) {
        core::put_varint(out, std::uint64_t{change.peer} * 2 + (change.joins ? 1 : 0));
        core::put(out, change.life);
        core::put_varint(out, change.tick);
        core::put_varint(out, change.ballot);
    }
}

std::vector<MemberChange> read_changes(core::ByteReader& reader, std::uint64_t most,
                                       std::uint32_t peers) {
    std::vector<MemberChange> changes;
    for (std::uint64_t left = reader.varint(most); left > 0 && reader.ok(); --left) {
        const std::uint64_t who = reader.varint(std::uint64_t{peers} * 2 - 1);
        const auto life = reader.get<std::uint8_t>();
        const std::uint64_t tick = reader.varint(kLastTick);
        changes.push_back({static_cast<std::uint32_t>(who / 2), who % 2 != 0, life, tick,
                           reader.varint(kLastBallot)});
    }
    return changes;
}

void put_entry(core::Bytes& out, std::span<const MemberChange> changes,
               std::span<const isotick_input> inputs) {
    put_changes(out, changes);
    for (const isotick_input& input : inputs) {
        core::put_varint(out, input.present != 0 ? input.size + 1 : 0);
        if (input.present != 0 && input.size > 0) {
            core::put_bytes(out, std::as_bytes(std::span(input.data, input.size)));
        }
    }
}

std::span<const std::byte> inputs_in(std::span<const std::byte> entry) {
    if (entry[0] == std::byte{0}) {
        return entry.subspan(1);
    }
    core::ByteReader reader(entry);
    [[maybe_unused]] const auto changes = read_changes(reader, kMostChanges, kMostPeers);
    return reader.take(reader.remaining());
}

std::optional<std::vector<MemberChange>> changes_in(std::span<const std::byte> entry,
                                                    std::size_t players, std::uint32_t peers) {
    core::ByteReader reader(entry);
    std::vector<MemberChange> changes = read_changes(reader, kMostChanges, peers);
    for (std::size_t i = 0; i < players && reader.ok(); ++i) {
        skip_input(reader);
    }
    return reader.at_end() ? std::optional(std::move(changes)) : std::nullopt;
}

void read_inputs(std::span<const std::byte> inputs_bytes, std::span<const std::uint32_t> columns,
                 std::span<isotick_input> inputs) {
    core::ByteReader reader(inputs_bytes);
    for (const std::uint32_t column : columns) {
        isotick_input& input = inputs[column];
        const std::uint64_t size = reader.varint();
        const auto bytes = reader.take(size > 0 ? size - 1 : 0);
        input.present = size > 0 ? 1 : 0;
        input.size = bytes.size();
        input.data = bytes.empty() ? nullptr : reinterpret_cast<const std::uint8_t*>(bytes.data());
    }
}

core::Bytes neutral_entry(std::size_t players) {
    return core::Bytes(players + 1, std::byte{0});
}

}  // namespace isotick::harness
