#include "input_search.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace isotick::harness {
namespace {

core::Digest digest_of(const InputEdits& edits) {
    core::StreamDigester digester;
    for (const InputEdit& edit : edits) {
        digester.update(edit.player ? std::uint64_t{*edit.player} : ~std::uint64_t{0});
        digester.update(edit.first.value);
        digester.update(edit.last.value);
        digester.update(static_cast<std::uint64_t>(edit.kind));
        digester.update(edit.bytes.size());
        digester.update(std::as_bytes(std::span(edit.bytes)));
    }
    return digester.value();
}

}  // namespace

bool InputSearch::fails(const InputGrid& grid, std::vector<std::uint64_t> checkpoints) {
    const InputEdits edits = grid.edits(ticks());
    return BestSearch::fails({edits, until_, std::move(checkpoints)}, digest_of(edits), grid);
}

std::optional<std::vector<std::uint8_t>> InputSearch::bytes_at(std::size_t column,
                                                               std::uint64_t tick) const {
    const std::vector<std::uint8_t>* replaced = best_.replaced(column, tick);
    return replaced != nullptr ? std::optional(*replaced)
                               : original_.recorded(best_.cell(column, tick));
}

// What is present is asked for once: a recording answers slowly, and less and less stands.
std::vector<InputSearch::Place> InputSearch::kept() {
    const auto present = [this](const Place& place) {
        return bytes_at(place.column, place.tick).has_value();
    };
    const auto standing = [this](const Place& place) {
        return place.tick < ticks() && best_.stands(place.column, place.tick);
    };
    std::vector<Place> places;
    if (present_) {
        std::copy_if(present_->begin(), present_->end(), std::back_inserter(places), standing);
        return places;
    }
    for (std::uint64_t tick = 0; tick < ticks(); ++tick) {
        for (std::size_t column = 0; column < best_.columns(); ++column) {
            if (const Place place{column, tick}; standing(place) && present(place)) {
                places.push_back(place);
            }
        }
    }
    present_ = places;
    return places;
}

}  // namespace isotick::harness
