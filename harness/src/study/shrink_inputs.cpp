#include "shrink_inputs.hpp"

#include "search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace isotick::harness {

using InputBytes = std::vector<std::uint8_t>;

InputCell InputGrid::cell(std::size_t column, std::uint64_t tick) const {
    const bool world = column + 1 == columns_.size();
    return {world ? ISOTICK_WORLD : static_cast<std::uint32_t>(column), core::Tick{tick}};
}

void InputGrid::edit_all(std::uint64_t from, std::uint64_t to, InputEditKind kind) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
        for (std::uint64_t tick = from; tick < to; ++tick) {
            edit(column, tick, kind);
        }
    }
}

void InputGrid::edit(std::size_t column, std::uint64_t tick, InputEditKind kind) {
    State& state = columns_[column][tick];
    if (state == State::replace) {
        replaced_.erase({column, tick});
    }
    state = state_of(kind);
}

void InputGrid::replace(std::size_t column, std::uint64_t tick, InputBytes bytes) {
    columns_[column][tick] = State::replace;
    replaced_[{column, tick}] = std::move(bytes);
}

bool InputGrid::stands(std::size_t column, std::uint64_t tick) const {
    const State state = columns_[column][tick];
    return state == State::keep || state == State::replace;
}

const InputBytes* InputGrid::replaced(std::size_t column, std::uint64_t tick) const {
    const auto found = replaced_.find({column, tick});
    return found == replaced_.end() ? nullptr : &found->second;
}

InputEdits InputGrid::edits(std::uint64_t end) const {
    InputEdits edits;
    const std::size_t everyone = columns_.size();
    std::vector<std::optional<std::size_t>> open(everyone + 1);  // of `edits`, that of each column
    const auto extend = [&](std::size_t column, std::uint64_t tick, State state) {
        std::optional<std::size_t>& number = open[column];
        const bool same = number && state != State::replace &&
                          edits[*number].kind == kind_of(state) &&
                          edits[*number].last.value + 1 == tick;
        if (!same) {
            const InputBytes* bytes = column < everyone ? replaced(column, tick) : nullptr;
            number = edits.size();
            edits.push_back({std::nullopt, core::Tick{tick}, core::Tick{tick}, kind_of(state),
                             bytes != nullptr ? *bytes : InputBytes()});
            if (column < everyone) {
                edits.back().player = cell(column, tick).player;
            }
        }
        edits[*number].last = core::Tick{tick};
    };
    for (std::uint64_t tick = 0; tick < end; ++tick) {
        if (all_alike(tick)) {
            extend(everyone, tick, columns_.front()[tick]);
            continue;
        }
        for (std::size_t column = 0; column < everyone; ++column) {
            if (columns_[column][tick] != State::keep) {
                extend(column, tick, columns_[column][tick]);
            }
        }
    }
    return edits;
}

bool InputGrid::all_alike(std::uint64_t tick) const {
    const State first = columns_.front()[tick];
    return (first == State::release || first == State::hold) &&
           std::all_of(columns_.begin(), columns_.end(),
                       [&](const Column& column) { return column[tick] == first; });
}

InputGrid::State InputGrid::state_of(InputEditKind kind) {
    return kind == InputEditKind::hold ? State::hold : State::release;
}

InputEditKind InputGrid::kind_of(State state) {
    switch (state) {
        case State::hold:
            return InputEditKind::hold;
        case State::replace:
            return InputEditKind::replace;
        case State::keep:
        case State::release:
            break;
    }
    return InputEditKind::release;
}

bool RecordedCells::go_to(core::Tick tick) {
    if (!there_ || tick < ticks_->tick()) {
        reader_.rewind();
        ticks_.emplace(reader_);
        there_ = ticks_->advance().value_or(false);
    }
    while (there_ && ticks_->tick() < tick) {
        there_ = ticks_->advance().value_or(false);
    }
    return there_;
}

std::optional<std::vector<std::uint8_t>> RecordedCells::at(const InputCell& cell) {
    if (!go_to(cell.tick)) {
        return std::nullopt;
    }
    for (const isotick_input& input : ticks_->inputs()) {
        if (input.player == cell.player && input.present != 0) {
            return std::vector<std::uint8_t>(input.data, input.data + input.size);
        }
    }
    return std::nullopt;
}

// The best inputs so far, and the passes that better them.

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

namespace {

using InputBytes = std::vector<std::uint8_t>;

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

std::optional<InputBytes> held_at(const InputSearch& search, InputSearch::Place place) {
    for (std::uint64_t tick = place.tick; tick > 0; --tick) {
        if (search.best().stands(place.column, tick - 1)) {
            return search.bytes_at(place.column, tick - 1);
        }
    }
    return std::nullopt;
}

bool simplify(InputSearch& search, InputSearch::Place place) {
    const auto bytes = search.bytes_at(place.column, place.tick);
    const NeededInput needed{search.best().cell(place.column, place.tick),
                             bytes.value_or(InputBytes()), held_at(search, place)};
    const std::vector<InputBytes> variants = search.original().variants(needed);
    return std::any_of(variants.begin(), variants.end(), [&](const InputBytes& variant) {
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

namespace {

// More than this, and trying each byte takes longer than looking at them.
constexpr std::size_t kMostBytes = 64;

}  // namespace

std::vector<std::vector<std::uint8_t>> plainer_inputs(const NeededInput& needed) {
    const std::vector<std::uint8_t>& bytes = needed.bytes;
    const bool held = needed.held && needed.held->size() == bytes.size();
    const std::vector<std::uint8_t> plainest =
        held ? *needed.held : std::vector<std::uint8_t>(bytes.size(), 0);
    std::vector<std::vector<std::uint8_t>> variants;
    if (bytes == plainest) {
        return variants;
    }
    variants.push_back(plainest);
    for (std::size_t i = 0; i < bytes.size() && bytes.size() <= kMostBytes; ++i) {
        if (bytes[i] != plainest[i]) {
            variants.push_back(bytes);
            variants.back()[i] = plainest[i];
        }
    }
    if (variants.size() == 2) {
        variants.pop_back();  // the only byte that differs: the plainest again
    }
    return variants;
}

}  // namespace isotick::harness
