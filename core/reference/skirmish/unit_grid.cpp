#include "unit_grid.hpp"

namespace isotick::core::reference {

void UnitGrid::build(const Units& units, std::uint32_t columns) {
    columns_ = columns;
    const std::size_t cells = std::size_t{columns} * columns;
    // Counting into the entry after next turns, by summing and scattering, into each cell's first.
    first_.assign(cells + 2, 0);
    cell_.resize(units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        cell_[unit] = cell_of(units.position_y[unit]) * columns + cell_of(units.position_x[unit]);
        ++first_[cell_[unit] + 2];
    }
    for (std::size_t cell = 2; cell < first_.size(); ++cell) {
        first_[cell] += first_[cell - 1];
    }
    sorted_.resize(units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        sorted_[first_[cell_[unit] + 1]++] = {units.position_x[unit], units.position_y[unit],
                                              static_cast<std::uint32_t>(unit), units.owner[unit]};
    }
}

}  // namespace isotick::core::reference
