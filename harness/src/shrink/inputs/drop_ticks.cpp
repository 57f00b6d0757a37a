#include "../search/needed_parts.hpp"
#include "input_search.hpp"

namespace isotick::harness {
namespace {

/// Ticks, without inputs of their own where they are dropped.
class Ticks {
  public:
    using Way = InputEditKind;
    static constexpr Way kWays[] = {Way::release, Way::hold};

    explicit Ticks(InputSearch& search) : search_(search) {}

    [[nodiscard]] bool over() const { return search_.over(); }
    [[nodiscard]] std::uint64_t end() const { return search_.ticks(); }

    bool drop(const PartRanges& ranges, Way way, const std::vector<std::uint64_t>& checkpoints) {
        InputGrid grid = search_.best();
        for (const PartRange& range : ranges) {
            grid.edit_all(range.first, range.end, way);
        }
        return search_.fails(grid, checkpoints);
    }

    // The last too: the first is held up to the end.
    bool drop_between(std::uint64_t first, std::uint64_t end) {
        return drop({{first + 1, end}}, Way::hold, {first + 1});
    }

  private:
    InputSearch& search_;
};

}  // namespace

void drop_ticks(InputSearch& search) {
    Ticks ticks(search);
    NeededParts(ticks).find();
}

}  // namespace isotick::harness
