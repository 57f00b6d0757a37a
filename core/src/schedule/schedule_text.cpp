// Schedules as text, and back.

#include "item_kind.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/schedule.hpp>

#include <algorithm>
#include <string>

namespace isotick::core {
namespace {

// Schedule::parse: the grammar of SCHEDULES.md by recursive descent.

std::string item_forms() {
    std::string text = "a frame time (16.667ms), a rate (60hz), nominal or a generator";
    std::string_view separator = " (";
    for (const ItemKind* each : item_kinds()) {
        if (!each->name.empty()) {
            text += std::string(separator) + std::string(each->name);
            separator = ", ";
        }
    }
    return text + ")";
}

/// Reads the parameters of one generator, by place or by name.
class ParameterReader {
  public:
    ParameterReader(TextCursor& cursor, const ItemKind& kind, ScheduleItem& item)
        : cursor_(cursor), kind_(kind), item_(item) {}

    Result<void> read_all() {
        ISOTICK_TRY(cursor_.expect('('));
        bool is_first = true;
        while (cursor_.peek() != ')') {
            if (!is_first && !cursor_.take(',')) {
                return cursor_.expected("',' or ')'");
            }
            is_first = false;
            ISOTICK_TRY(read_one());
        }
        if (const Parameter* missing = next_missing(); missing != nullptr) {
            return cursor_.expected("the parameter " + std::string(missing->name));
        }
        cursor_.take(')');
        return {};
    }

  private:
    /// The first parameter in order that is still to come and must; null: none.
    [[nodiscard]] const Parameter* next_missing() const {
        for (std::size_t i = 0; i < kind_.parameters.size(); ++i) {
            if (!kind_.parameters[i].is_optional && !is_read(i)) {
                return &kind_.parameters[i];
            }
        }
        return nullptr;
    }

    [[nodiscard]] bool is_read(std::size_t index) const { return ((read_ >> index) & 1U) != 0; }

    Result<void> read_one() {
        const std::size_t start = cursor_.position();
        ISOTICK_TRY_ASSIGN(const auto index, find_parameter());
        if (is_read(index)) {
            return TextCursor::error_at(start, "expected each parameter once");
        }
        read_ |= 1U << index;
        const Parameter& parameter = kind_.parameters[index];
        const std::size_t value = cursor_.position();
        ISOTICK_TRY(parameter.read(cursor_, item_));
        return TextCursor::refuse(parameter.problem_of(item_), value);
    }

    /// Which parameter comes next: the one whose `name=` is read here, else the next in order.
    Result<std::size_t> find_parameter() {
        const auto parameters = kind_.parameters;
        const std::size_t start = cursor_.position();
        const std::string_view name = cursor_.read_word();
        if (!name.empty() && cursor_.take('=')) {
            const auto found = std::ranges::find(parameters, name, &Parameter::name);
            if (found == parameters.end()) {
                cursor_.go_back_to(start);
                return cursor_.expected("a parameter of " + std::string(kind_.name) + " (" +
                                        joined(parameters, ", ", &Parameter::name) + ")");
            }
            return static_cast<std::size_t>(found - parameters.begin());
        }
        cursor_.go_back_to(start);
        std::size_t index = 0;
        while (index < parameters.size() && is_read(index)) {
            ++index;
        }
        if (index == parameters.size()) {
            return cursor_.expected("')'");
        }
        return index;
    }

    TextCursor& cursor_;
    const ItemKind& kind_;
    ScheduleItem& item_;
    unsigned read_ = 0;  // one bit per parameter
};

/// `nominal`, a generator or a capture.
Result<void> read_named(TextCursor& cursor, const FrameResolver& resolver, ScheduleItem& item) {
    const std::size_t start = cursor.position();
    const std::string_view name = cursor.read_word();
    if (name == "nominal") {
        item.kind = FrameKind::steady;
        return {};
    }
    const auto kinds = item_kinds();
    const auto found =
        std::ranges::find(kinds, name, [](const ItemKind* each) { return each->name; });
    if (name.empty() || found == kinds.end()) {
        cursor.go_back_to(start);
        return cursor.expected(item_forms());
    }
    const ItemKind& kind = **found;
    item.kind = static_cast<FrameKind>(found - kinds.begin());
    item.duration = kind.usual_duration;
    ISOTICK_TRY(ParameterReader(cursor, kind, item).read_all());
    return kind.resolve != nullptr ? kind.resolve(resolver, start, item) : Result<void>();
}

enum class NumberRole { count, group, rate, duration };

/// What the number at the cursor is for; the cursor does not move.
NumberRole look_ahead(TextCursor& cursor) {
    const std::size_t start = cursor.position();
    NumberRole role = NumberRole::duration;
    if (!cursor.read_digits().empty()) {
        const std::size_t unit = cursor.position();
        if (cursor.take('x')) {
            role = cursor.peek() == '(' ? NumberRole::group : NumberRole::count;
        } else if (cursor.go_back_to(unit); cursor.take('/') || cursor.read_word() == "hz") {
            role = NumberRole::rate;
        }
    }
    cursor.go_back_to(start);
    return role;
}

Result<void> read_body(TextCursor& cursor, const FrameResolver& resolver, ScheduleItem& item) {
    const char first = cursor.peek();
    if (first != '-' && (first < '0' || first > '9')) {
        return read_named(cursor, resolver, item);
    }
    if (look_ahead(cursor) == NumberRole::rate) {
        item.kind = FrameKind::steady;
        return store(cursor.read_rate(), item.rate);
    }
    return store(cursor.read_duration(), item.duration);
}

Result<ScheduleItem> read_item(TextCursor& cursor, const FrameResolver& resolver) {
    ScheduleItem item{.count = kEndless};
    if (look_ahead(cursor) == NumberRole::count) {
        ISOTICK_TRY_ASSIGN(item.count, cursor.read_number("a count of frames", 1, kMostItemFrames));
        cursor.take('x');
    }
    ISOTICK_TRY(read_body(cursor, resolver, item));
    if (item.kind == FrameKind::frame && item.count == kEndless) {
        item.count = 1;
    }
    return item;
}

/// Reads items, and spells groups out.
class ItemsReader {
  public:
    ItemsReader(TextCursor& cursor, const FrameResolver& resolver)
        : cursor_(cursor), resolver_(resolver) {}

    /// Up to where no ',' follows. `depth`: how many groups are around them.
    Result<std::vector<ScheduleItem>> read_all(std::uint32_t depth = 0) {
        std::vector<ScheduleItem> items;
        do {
            const std::size_t start = cursor_.position();
            if (!items.empty() && items.back().count == kEndless) {
                return TextCursor::error_at(
                    start,
                    "expected nothing after an item that never ends; give it a count: 120x60hz");
            }
            ISOTICK_TRY(read_next(items, depth));
            if (items.size() > Schedule::kMostItems) {
                return TextCursor::error_at(start, "expected at most 1000000 items");
            }
        } while (cursor_.take(','));
        return items;
    }

  private:
    Result<void> read_next(std::vector<ScheduleItem>& items, std::uint32_t depth) {
        if (look_ahead(cursor_) == NumberRole::group) {
            return read_group(items, depth);
        }
        return read_item(cursor_, resolver_).map([&items](const ScheduleItem& item) {
            append_item(items, item);
        });
    }

    Result<void> read_group(std::vector<ScheduleItem>& items, std::uint32_t depth) {
        const std::size_t start = cursor_.position();
        ISOTICK_TRY_ASSIGN(const auto count,
                           cursor_.read_number("a count of repeats", 1, Schedule::kMostItems));
        if (depth == kDeepestGroup) {
            return TextCursor::error_at(start, "expected groups at most 8 deep");
        }
        cursor_.take('x');
        cursor_.take('(');
        const std::size_t inside = cursor_.position();
        ISOTICK_TRY_ASSIGN(const auto group, read_all(depth + 1));
        if (group.back().count == kEndless) {
            return TextCursor::error_at(
                inside, "expected a group that ends; give its last item a count: 9xnominal");
        }
        if (!cursor_.take(')')) {
            return cursor_.expected("',' or ')'");
        }
        return spell_out(count, group, start, items);
    }

    // Where the end of a group and its beginning are equal frame times, they become one item.
    Result<void> spell_out(std::uint64_t count, const std::vector<ScheduleItem>& group,
                           std::size_t start, std::vector<ScheduleItem>& items) {
        spelled_out_ += count * group.size();
        if (spelled_out_ > kMostSpelledOut) {
            return TextCursor::error_at(start,
                                        "expected groups of at most 2000000 items in all, "
                                        "each counted as often as it comes");
        }
        for (std::uint64_t i = 0; i < count; ++i) {
            for (const ScheduleItem& each : group) {
                append_item(items, each);
            }
            if (items.size() > Schedule::kMostItems) {
                return TextCursor::error_at(start, "expected at most 1000000 items");
            }
        }
        return {};
    }

    static constexpr std::uint32_t kDeepestGroup = 8;
    // What is printed of kMostItems takes less: it has groups of two and more, in groups.
    static constexpr std::uint64_t kMostSpelledOut = 2 * Schedule::kMostItems;

    TextCursor& cursor_;
    const FrameResolver& resolver_;
    std::uint64_t spelled_out_ = 0;  // what reading it costs, whatever of it becomes one item
};

}  // namespace

Result<Schedule> Schedule::parse(std::string_view text, const FrameResolver& resolver) {
    if (text.size() > kMostTextBytes) {
        return TextCursor::error_at(kMostTextBytes, "expected at most 16 MiB of text");
    }
    TextCursor cursor(text);
    ISOTICK_TRY_ASSIGN(const auto items, ItemsReader(cursor, resolver).read_all());
    if (!cursor.at_end()) {
        return cursor.expected("',' or the end");
    }
    return from_items(items);
}

namespace {

std::string parameters_text(const ScheduleItem& item, const ItemKind& kind) {
    std::string text;
    for (const Parameter& each : kind.parameters) {
        if (each.is_usual == nullptr || !each.is_usual(item)) {
            text += text.empty() ? "(" : ", ";
            text += each.is_named ? std::string(each.name) + "=" : "";
            text += each.text(item);
        }
    }
    return text + ")";
}

}  // namespace

std::string to_string(FrameTime time) {
    // Negated as unsigned, so that the smallest int64 has a magnitude too.
    const auto bits = static_cast<std::uint64_t>(time.nanoseconds);
    const std::uint64_t magnitude = time.nanoseconds < 0 ? 0 - bits : bits;
    if (magnitude == 0) {
        return "0ms";
    }
    return (time.nanoseconds < 0 ? "-" : "") + quantity_text(magnitude, kTimeUnits);
}

std::string to_string(const ScheduleItem& item) {
    const ItemKind& kind = kind_of(item);
    const std::string count = kind.is_count_implied(item) ? "" : std::to_string(item.count) + "x";
    return count + (kind.name.empty() ? kind.parameters.front().text(item)
                                      : std::string(kind.name) + parameters_text(item, kind));
}

}  // namespace isotick::core
