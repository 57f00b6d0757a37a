#include "../search/blocks.hpp"
#include "../search/patience.hpp"
#include "input_search.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace isotick::harness {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The ticks of a column's inputs that stand beside others.
std::vector<std::uint64_t> ticks_beside_others(InputSearch& search, std::size_t column) {
    const auto kept = search.kept();
    std::map<std::uint64_t, std::size_t> inputs;  // by tick
    for (const InputSearch::Place& place : kept) {
        ++inputs[place.tick];
    }
    std::vector<std::uint64_t> ticks;
    for (const InputSearch::Place& place : kept) {
        if (place.column == column && inputs[place.tick] > 1) {
            ticks.push_back(place.tick);
        }
    }
    return ticks;
}

std::optional<Bytes> held_at(const InputSearch& search, InputSearch::Place place) {
    for (std::uint64_t tick = place.tick; tick > 0; --tick) {
        if (search.best().stands(place.column, tick - 1)) {
            return search.bytes_at(place.column, tick - 1);
        }
    }
    return std::nullopt;
}

bool simplify(InputSearch& search, InputSearch::Place place) {
    const auto bytes = search.bytes_at(place.column, place.tick);
    const NeededInput needed{search.best().cell(place.column, place.tick), bytes.value_or(Bytes()),
                             held_at(search, place)};
    const std::vector<Bytes> variants = search.original().variants(needed);
    return std::any_of(variants.begin(), variants.end(), [&](const Bytes& variant) {
        InputGrid grid = search.best();
        grid.replace(place.column, place.tick, variant);
        return variant != needed.bytes && search.fails(grid, {place.tick});
    });
}

constexpr int kMostReplacements = 16;  // of one input, one after the other

}  // namespace

void drop_players(InputSearch& search) {
    for (std::size_t column = 0; column < search.best().columns() && !search.over(); ++column) {
        drop_blocks(ticks_beside_others(search, column), [&](std::span<const std::uint64_t> block) {
            InputGrid grid = search.best();
            for (const std::uint64_t tick : block) {
                grid.edit(column, tick, InputEditKind::release);
            }
            return search.fails(grid, {block.front()});
        });
    }
}

void simplify_inputs(InputSearch& search) {
    if (!search.original().variants) {
        return;
    }
    Patience patience;
    for (const InputSearch::Place& place : search.kept()) {
        int replaced = 0;
        while (replaced < kMostReplacements && patience.left() &&
               place.tick <= search.until().value && simplify(search, place)) {
            ++replaced;
        }
        patience.tried(replaced > 0);
    }
}

}  // namespace isotick::harness
