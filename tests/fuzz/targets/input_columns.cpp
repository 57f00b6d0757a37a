// The input block of a chunk: what was decoded is encoded and decoded as the same.

#include "../support/fuzz_target.hpp"

#include <algorithm>

#include <format/input_columns.hpp>

namespace isotick::fuzz {
namespace {

using replay::Bytes;
using replay::InputChange;
using replay::InputChanges;
using replay::PlaneChoice;

bool same(const InputChanges& a, const InputChanges& b) {
    const auto bytes_of = [](const InputChanges& changes, const InputChange& change) {
        return std::span(changes.bytes).subspan(change.offset, change.size());
    };
    return std::ranges::equal(a.changes, b.changes,
                              [&](const InputChange& left, const InputChange& right) {
                                  return left.tick == right.tick && left.column == right.column &&
                                         left.code == right.code &&
                                         std::ranges::equal(bytes_of(a, left), bytes_of(b, right));
                              });
}

void check_order(const InputChanges& decoded, std::uint32_t ticks, std::uint32_t columns) {
    const InputChange* before = nullptr;
    for (const InputChange& change : decoded.changes) {
        require(change.tick < ticks && change.column < columns, "a change is within its chunk");
        require(before == nullptr || before->tick < change.tick ||
                    (before->tick == change.tick && before->column < change.column),
                "changes are in order, one for a tick and column");
        before = &change;
    }
}

}  // namespace

void run(Input input) {
    const std::uint32_t ticks = 1 + (take_short(input) & 0xfffU);
    const std::uint32_t columns = 1 + (take_short(input) & 0xfffU);
    InputChanges decoded;
    if (!decode_columns({input}, ticks, columns, decoded)) {
        return;
    }
    check_order(decoded, ticks, columns);
    for (const PlaneChoice choice : {PlaneChoice::smallest, PlaneChoice::dense}) {
        Bytes block;
        encode_columns(decoded, ticks, columns, choice, block);
        InputChanges again;
        const std::uint64_t stored = std::max(block.size(), input.size());
        require(decode_columns({block, stored}, ticks, columns, again),
                "an encoded block can be decoded");
        require(same(decoded, again), "an encoded block decodes to the same inputs");
    }
}

}  // namespace isotick::fuzz
