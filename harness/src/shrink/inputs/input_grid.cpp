#include "input_grid.hpp"

#include <algorithm>

namespace isotick::harness {

using Bytes = std::vector<std::uint8_t>;

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

void InputGrid::replace(std::size_t column, std::uint64_t tick, Bytes bytes) {
    columns_[column][tick] = State::replace;
    replaced_[{column, tick}] = std::move(bytes);
}

bool InputGrid::stands(std::size_t column, std::uint64_t tick) const {
    const State state = columns_[column][tick];
    return state == State::keep || state == State::replace;
}

const Bytes* InputGrid::replaced(std::size_t column, std::uint64_t tick) const {
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
            const Bytes* bytes = column < everyone ? replaced(column, tick) : nullptr;
            number = edits.size();
            edits.push_back({std::nullopt, core::Tick{tick}, core::Tick{tick}, kind_of(state),
                             bytes != nullptr ? *bytes : Bytes()});
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

}  // namespace isotick::harness
