// The dt block of a chunk: what was decoded is encoded and decoded as the same.

#include "../support/fuzz_target.hpp"

#include <algorithm>

#include <format/dt_column.hpp>

namespace isotick::fuzz {
namespace {

using replay::DtChange;
using replay::DtChanges;

bool same(const DtChange& left, const DtChange& right) {
    return left.tick == right.tick && left.dt == right.dt;
}

}  // namespace

void run(Input input) {
    const std::uint32_t ticks = 1 + (take_short(input) & 0xfffU);
    const core::TickDt constant{core::TickRate()};
    DtChanges decoded;
    if (!decode_dts({input}, ticks, constant, decoded)) {
        return;
    }
    const auto in_order = [](const DtChange& a, const DtChange& b) { return a.tick < b.tick; };
    require(std::ranges::is_sorted(decoded, in_order) && decoded.back().tick < ticks,
            "changes are in order, within their chunk");
    require(std::ranges::none_of(decoded, [&](const DtChange& c) { return c.dt == constant; }),
            "the constant dt is no dt of a tick's own");
    replay::Bytes block;
    encode_dts(decoded, ticks, constant, block);
    DtChanges again;
    require(decode_dts({block, std::max(block.size(), input.size())}, ticks, constant, again),
            "an encoded block can be decoded");
    require(std::ranges::equal(decoded, again, same), "an encoded block decodes to the same dts");
}

}  // namespace isotick::fuzz
