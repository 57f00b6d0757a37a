#include "shrink_inputs.hpp"

#include "input_search.hpp"

namespace isotick::harness {

ShrunkInputs shrink_inputs(const InputsToShrink& original, const InputRunner& run,
                           const ShrinkLimits& limits) {
    InputSearch search(original, run, limits);
    drop_ticks(search);
    drop_players(search);
    simplify_inputs(search);
    ShrunkInputs shrunk{search.best().edits(search.ticks()), {}, search.until(), search.effort()};
    for (const InputSearch::Place& place : search.kept()) {
        shrunk.kept.push_back(search.best().cell(place.column, place.tick));
    }
    return shrunk;
}

}  // namespace isotick::harness
