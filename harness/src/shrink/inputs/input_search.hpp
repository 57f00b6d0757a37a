#pragma once
// The best inputs so far, and the passes that better them.

#include "../search/best_search.hpp"
#include "shrink_inputs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotick::harness {

/// Its best are inputs.
class InputSearch : public BestSearch<InputGrid, InputCandidate> {
  public:
    InputSearch(const InputsToShrink& original, const InputRunner& run, const ShrinkLimits& limits)
        : BestSearch(run, limits, {original.players, original.diverged_at.value + 1},
                     original.diverged_at),
          original_(original) {}

    [[nodiscard]] const InputsToShrink& original() const { return original_; }
    [[nodiscard]] std::uint64_t ticks() const { return until_.value + 1; }

    /// Whether the candidate fails; then it is the best.
    bool fails(const InputGrid& grid, std::vector<std::uint64_t> checkpoints);

    /// What stands there now, of the best; none where that is absent.
    [[nodiscard]] std::optional<std::vector<std::uint8_t>> bytes_at(std::size_t column,
                                                                    std::uint64_t tick) const;

    /// A column and a tick.
    struct Place {
        std::size_t column;
        std::uint64_t tick;
    };
    /// Where an input stands and is present, by tick.
    [[nodiscard]] std::vector<Place> kept();

  private:
    const InputsToShrink& original_;
    std::optional<std::vector<Place>> present_;  // of what stood when kept() was first called
};

/// Releases or holds whole ticks, of all players at once.
void drop_ticks(InputSearch& search);

/// Releases single players' inputs where those of several stand.
void drop_players(InputSearch& search);

/// Replaces inputs by plainer ones.
void simplify_inputs(InputSearch& search);

}  // namespace isotick::harness
