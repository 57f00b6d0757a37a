#pragma once
// The units of a skirmish and the grid in which they find each other.

#include "skirmish_state.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotick::core::reference {

// The broad phase of a skirmish: who is near whom, by a uniform grid and a counting sort.

/// Sorts units into square cells. Derived from the units and built anew whenever it is used, so it
/// is not state. Within a cell the units keep their order: what a search meets first never depends
/// on anything but the units. Source: counting sort (stable), Knuth, TAOCP vol. 3, §5.2.
class UnitGrid {
  public:
    static constexpr float kCellSide = 4.0F;

    struct Entry {
        float x;
        float y;
        std::uint32_t unit;  ///< index into Units
        std::uint32_t owner;
    };

    /// Sorts all of `units` into columns × columns cells. Positions outside belong to the cells at
    /// the edge.
    void build(const Units& units, std::uint32_t columns);

    /// Calls `visit` with each entry of the cells that touch the square of half side `reach`
    /// around (x, y): all units in reach and some beyond.
    template <class Visit>
    void visit_near(float x, float y, float reach, const Visit& visit) const {
        const std::uint32_t left = cell_of(x - reach);
        const std::uint32_t right = cell_of(x + reach);
        const std::uint32_t last_row = cell_of(y + reach);
        for (std::uint32_t row = cell_of(y - reach); row <= last_row; ++row) {
            const Entry* entry = sorted_.data() + first_[row * columns_ + left];
            const Entry* const end = sorted_.data() + first_[row * columns_ + right + 1];
            for (; entry != end; ++entry) {
                visit(*entry);
            }
        }
    }

  private:
    // The row or column of a coordinate, cut to the grid.
    [[nodiscard]] std::uint32_t cell_of(float coordinate) const {
        const float most = static_cast<float>(columns_ - 1);
        const float cell = coordinate * (1.0F / kCellSide);
        return static_cast<std::uint32_t>(cell > 0.0F ? (cell < most ? cell : most) : 0.0F);
    }

    std::uint32_t columns_ = 0;
    std::vector<std::uint32_t> first_;  // of each cell: its first entry; one more at the end
    std::vector<std::uint32_t> cell_;   // of each unit
    std::vector<Entry> sorted_;
};

}  // namespace isotick::core::reference
