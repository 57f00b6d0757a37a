#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/input_edits.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

auto refuse(std::size_t number, const char* why, ErrorCode code = ErrorCode::usage) {
    return core::fail(code, "input edit " + std::to_string(number) + " " + why);
}

// Players in order, the world last: whose inputs the edit changes.
struct Columns {
    std::size_t first;
    std::size_t end;
};

Columns columns_of(const InputEdit& edit, std::size_t columns) {
    if (!edit.player) {
        return {0, columns};
    }
    const std::size_t column = *edit.player == ISOTICK_WORLD ? columns - 1 : *edit.player;
    return {column, column + 1};
}

Result<void> check_alone(const InputEdit& edit, std::size_t number, std::uint32_t players) {
    if (edit.player && *edit.player != ISOTICK_WORLD && *edit.player >= players) {
        return refuse(number, "is of a player that the session does not have");
    }
    if (edit.last < edit.first) {
        return refuse(number, "ends before it begins");
    }
    if (edit.kind != InputEditKind::replace && !edit.bytes.empty()) {
        return refuse(number, "has bytes, but replaces nothing");
    }
    if (edit.bytes.size() > ISOTICK_LONGEST_INPUT) {
        return refuse(number, "is longer than an input may be", ErrorCode::limit);
    }
    return {};
}

}  // namespace

Result<void> check_input_edits(const InputEdits& edits, std::uint32_t players) {
    if (edits.size() > kMostInputEdits) {
        return core::fail(ErrorCode::limit, std::to_string(edits.size()) +
                                                " input edits are too many; at most " +
                                                std::to_string(kMostInputEdits));
    }
    std::vector<const InputEdit*> latest(players + std::size_t{1}, nullptr);  // by column
    for (std::size_t number = 0; number < edits.size(); ++number) {
        const InputEdit& edit = edits[number];
        ISOTICK_TRY(check_alone(edit, number, players));
        if (number > 0 && edit.first < edits[number - 1].first) {
            return refuse(number, "begins before the one that precedes it");
        }
        const Columns columns = columns_of(edit, latest.size());
        for (std::size_t column = columns.first; column < columns.end; ++column) {
            if (latest[column] != nullptr && edit.first <= latest[column]->last) {
                return refuse(number, "changes an input that another has changed");
            }
            latest[column] = &edit;
        }
    }
    return {};
}

InputEdits cut_before(const InputEdits& edits, core::Tick end) {
    InputEdits cut;
    for (const InputEdit& edit : edits) {
        if (edit.first >= end) {
            break;
        }
        cut.push_back(edit);
        cut.back().last = std::min(edit.last, core::Tick{end.value - 1});
    }
    return cut;
}

Result<InputEditor> InputEditor::make(const InputEdits& edits, std::uint32_t players) {
    InputEditor editor(players + std::size_t{1});
    return editor.continue_with(edits).map([&] { return std::move(editor); });
}

Result<void> InputEditor::continue_with(const InputEdits& edits) {
    const auto players = static_cast<std::uint32_t>(columns_.size() - 1);
    return check_input_edits(edits, players).map([&] { take(edits); });
}

void InputEditor::take(const InputEdits& edits) {
    edits_ = edits;
    for (Column& column : columns_) {
        column.edits.clear();
        column.next = 0;
    }
    for (std::size_t number = 0; number < edits_.size(); ++number) {
        const Columns columns = columns_of(edits_[number], columns_.size());
        for (std::size_t column = columns.first; column < columns.end; ++column) {
            columns_[column].edits.push_back(number);
        }
    }
}

std::span<const isotick_input> InputEditor::apply(core::Tick tick,
                                                  std::span<const isotick_input> recorded) {
    inputs_.clear();
    for (std::size_t i = 0; i < recorded.size() && i < columns_.size(); ++i) {
        inputs_.push_back(edited(columns_[i], tick, recorded[i]));
    }
    return inputs_;
}

const InputEdit* InputEditor::edit_at(Column& column, core::Tick tick) const {
    while (column.next < column.edits.size() && edits_[column.edits[column.next]].last < tick) {
        ++column.next;
    }
    if (column.next == column.edits.size()) {
        return nullptr;
    }
    const InputEdit& edit = edits_[column.edits[column.next]];
    return edit.first <= tick ? &edit : nullptr;
}

isotick_input InputEditor::edited(Column& column, core::Tick tick,
                                  const isotick_input& recorded) const {
    const InputEdit* edit = edit_at(column, tick);
    Held& held = column.held;
    if (edit == nullptr) {
        // Kept whether or not it will be held: continue_with may say so at any tick.
        held.present = recorded.present != 0;
        held.bytes.assign(recorded.data, recorded.data + recorded.size);
        return recorded;
    }
    switch (edit->kind) {
        case InputEditKind::release:
            return {recorded.player, 0, 0, nullptr};
        case InputEditKind::hold:
            break;
        case InputEditKind::replace:
            held.present = true;
            held.bytes = edit->bytes;
            break;
    }
    return {recorded.player, held.present ? 1U : 0U, held.bytes.size(), held.bytes.data()};
}

}  // namespace isotick::harness
