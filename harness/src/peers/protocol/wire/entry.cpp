#include "entry.hpp"

namespace isotick::harness {
namespace {

// Each input begins with its size and one, or with 0 where it is absent.
bool skip_input(core::ByteReader& reader) {
    const std::uint64_t size = reader.varint(ISOTICK_LONGEST_INPUT + 1);
    if (size > 1) {
        static_cast<void>(reader.take(size - 1));
    }
    return reader.ok();
}

}  // namespace

void put_entry(core::Bytes& out, std::span<const MemberChange> changes,
               std::span<const isotick_input> inputs) {
    core::put_varint(out, changes.size());
    for (const MemberChange& change : changes) {
        core::put_varint(out, std::uint64_t{change.peer} * 2 + (change.joins ? 1 : 0));
        core::put_varint(out, change.tick);
    }
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
    for (std::uint64_t left = reader.varint(kMostChanges); left > 0; --left) {
        static_cast<void>(reader.varint());
        static_cast<void>(reader.varint());
    }
    return reader.take(reader.remaining());
}

std::optional<std::vector<MemberChange>> read_changes(std::span<const std::byte> entry,
                                                      std::size_t players,
                                                      std::uint32_t most_peers) {
    core::ByteReader reader(entry);
    std::vector<MemberChange> changes;
    for (std::uint64_t left = reader.varint(kMostChanges); left > 0 && reader.ok(); --left) {
        const std::uint64_t who = reader.varint(std::uint64_t{most_peers} * 2 - 1);
        changes.push_back(
            {static_cast<std::uint32_t>(who / 2), who % 2 != 0, reader.varint(UINT64_MAX / 2)});
    }
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
