#include "comparison.hpp"

#include "field_cursor.hpp"

#include <isotick/core/hash.hpp>

#include <algorithm>
#include <cstring>

namespace isotick::core {

FieldDifferences Comparison::run() {
    values();
    before_.expect_end();
    after_.expect_end();
    return std::move(found_);
}

// Both cursors are at a value; afterwards both are behind it.
void Comparison::values() {
    if (depth_ > FieldCursor::kDeepest) {
        before_.damaged("values are nested too deeply");
    }
    const std::uint64_t before_at = before_.offset();
    const std::uint64_t after_at = after_.offset();
    const FieldToken token = before_.peek();
    if (token != after_.peek()) {
        changed(before_at, after_at);
        before_.skip_value();
        after_.skip_value();
        return;
    }
    before_.take();
    after_.take();
    ++depth_;
    contents(token, before_at, after_at);
    --depth_;
}

// What follows the token that both sides have.
void Comparison::contents(FieldToken token, std::uint64_t before_at, std::uint64_t after_at) {
    switch (token) {
        case FieldToken::object:
            objects();
            break;
        case FieldToken::sequence:
            sequences();
            break;
        case FieldToken::map:
        case FieldToken::entities:
            keyed(token);
            break;
        case FieldToken::array:
            arrays();
            break;
        case FieldToken::text:
        case FieldToken::bytes:
            runs();
            break;
        case FieldToken::named:
            named();
            break;
        case FieldToken::fixed:
            fixed();
            break;
        case FieldToken::shared:
            values();
            break;
        case FieldToken::alternative:
        case FieldToken::reference:
            references(before_at, after_at);
            break;
        case FieldToken::none:
            break;
        default:
            numbers(token);
    }
}

void Comparison::numbers(FieldToken type) {
    const std::uint32_t size = number_size(type);
    const std::uint64_t before_at = before_.offset();
    const std::uint64_t after_at = after_.offset();
    if (size == 0) {
        before_.damaged("expects a value");
    }
    if (std::memcmp(before_.at(before_at, size), after_.at(after_at, size), size) != 0) {
        changed_number(type, before_at, after_at);
    }
    before_.skip(size);
    after_.skip(size);
}

void Comparison::runs() {
    const std::uint64_t before_at = before_.offset() - 1;
    const std::uint64_t after_at = after_.offset() - 1;
    const FieldRun before = before_.run();
    const FieldRun after = after_.run();
    const std::uint64_t common = std::min(before.size, after.size);
    std::uint64_t same = 0;
    while (same < common) {
        const auto step =
            static_cast<std::size_t>(std::min<std::uint64_t>(common - same, kFieldBlock));
        const std::byte* a = before_.at(before.offset + same, step);
        const std::byte* b = after_.at(after.offset + same, step);
        const auto differs = static_cast<std::size_t>(std::mismatch(a, a + step, b).first - a);
        same += differs;
        if (differs != step) {
            break;
        }
    }
    if (same != before.size || same != after.size) {
        std::string note;
        if (before.size != after.size) {
            note = std::to_string(before.size) + " → " + std::to_string(after.size) + " bytes, ";
        }
        changed(before_at, after_at, same,
                note + "first difference at [" + std::to_string(same) + "]");
    }
}

void Comparison::named() {
    const std::uint64_t before_at = before_.offset() - 1;
    const std::uint64_t after_at = after_.offset() - 1;
    constexpr std::size_t kLongest = 1000;
    const bool same_name =
        before_.copy(before_.run(), kLongest) == after_.copy(after_.run(), kLongest);
    const FieldToken type = before_.number_type();
    const FieldToken after_type = after_.number_type();
    const std::uint32_t size = number_size(type);
    if (!same_name || type != after_type ||
        std::memcmp(before_.at(before_.offset(), size), after_.at(after_.offset(), size), size) !=
            0) {
        changed(before_at, after_at);
    }
    before_.skip(size);
    after_.skip(number_size(after_type));
}

void Comparison::fixed() {
    const std::uint64_t before_at = before_.offset() - 1;
    const std::uint64_t after_at = after_.offset() - 1;
    const FixedType type = before_.fixed_type();
    const FixedType after_type = after_.fixed_type();
    const std::uint32_t size = number_size(type.number);
    if (!(type == after_type)) {
        changed(before_at, after_at, 0,
                fixed_name(type.number, type.fraction_bits) + " → " +
                    fixed_name(after_type.number, after_type.fraction_bits));
    } else if (std::memcmp(before_.at(before_.offset(), size), after_.at(after_.offset(), size),
                           size) != 0) {
        changed_fixed(type);
    }
    before_.skip(size);
    after_.skip(number_size(after_type.number));
}

void Comparison::arrays() {
    const std::uint64_t before_at = before_.offset() - 1;
    const std::uint64_t after_at = after_.offset() - 1;
    const FieldToken type = before_.number_type();
    const FieldToken after_type = after_.number_type();
    const std::uint32_t size = number_size(type);
    const std::uint64_t before_count = before_.count(size);
    const std::uint64_t after_count = after_.count(number_size(after_type));
    const std::uint64_t before_end = before_.offset() + size * before_count;
    const std::uint64_t after_end = after_.offset() + number_size(after_type) * after_count;
    if (type != after_type) {
        changed(before_at, after_at);
    } else if (before_count == after_count) {
        array_elements(type, before_count);
    } else {
        const std::uint64_t common = std::min(before_count, after_count);
        std::uint64_t first = common;
        std::uint64_t differing = 0;
        for (std::uint64_t i = 0; i < common; ++i) {
            if (std::memcmp(before_.at(before_.offset() + i * size, size),
                            after_.at(after_.offset() + i * size, size), size) != 0) {
                first = std::min(first, i);
                ++differing;
            }
        }
        changed_length(before_count, after_count, first, differing);
    }
    before_.seek(before_end);
    after_.seek(after_end);
}

void Comparison::array_elements(FieldToken type, std::uint64_t count) {
    const std::uint32_t size = number_size(type);
    const std::uint64_t in_block = kFieldBlock / size;
    for (std::uint64_t done = 0; done < count; done += in_block) {
        const std::uint64_t here = std::min(in_block, count - done);
        const std::uint64_t before_at = before_.offset() + done * size;
        const std::uint64_t after_at = after_.offset() + done * size;
        const auto bytes = static_cast<std::size_t>(here * size);
        if (std::memcmp(before_.at(before_at, bytes), after_.at(after_at, bytes), bytes) == 0) {
            continue;
        }
        for (std::uint64_t i = 0; i < here; ++i) {
            const std::uint64_t ahead = i * size;
            if (std::memcmp(before_.at(before_at + ahead, size), after_.at(after_at + ahead, size),
                            size) != 0) {
                path_.push_index(done + i);
                changed_number(type, before_at + ahead, after_at + ahead);
                path_.pop();
            }
        }
    }
}

// Alternatives of variants and shared objects: a number, then for the former a value.
void Comparison::references(std::uint64_t before_at, std::uint64_t after_at) {
    const std::uint64_t before = before_.varint();
    const std::uint64_t after = after_.varint();
    before_.seek(before_at);
    const bool has_value = before_.take() == FieldToken::alternative;
    before_.varint();
    if (before != after) {
        changed(before_at, after_at);
        if (has_value) {
            before_.skip_value();
            after_.skip_value();
        }
    } else if (has_value) {
        values();
    }
}

void Comparison::sequences() {
    const std::uint64_t count = before_.count(1);
    const std::uint64_t after_count = after_.count(1);
    if (count != after_count) {
        unequal_sequences(count, after_count);
        return;
    }
    FieldStride stride;
    path_.push_index(0);
    for (std::uint64_t i = 0; i < count;) {
        const std::uint64_t start = before_.offset();
        path_.set_index(i);
        values();
        ++i;
        stride.learn(before_, after_, start, 1);
        i += stride.pass(before_, after_, count - i);
    }
    path_.pop();
}

void Comparison::unequal_sequences(std::uint64_t before_count, std::uint64_t after_count) {
    const std::uint64_t common = std::min(before_count, after_count);
    const std::uint64_t total = found_.total;
    const std::uint64_t counted = found_.values;
    const bool silent = silent_;
    std::uint64_t first = common;
    silent_ = true;
    FieldStride stride;
    for (std::uint64_t i = 0; i < common;) {
        const std::uint64_t start = before_.offset();
        values();
        first = found_.total == total ? first : std::min(first, i);
        ++i;
        stride.learn(before_, after_, start, 1);
        i += stride.pass(before_, after_, common - i);
    }
    silent_ = silent;
    const std::uint64_t differing = found_.values - counted;
    found_.total = total;
    found_.values = counted;
    changed_length(before_count, after_count, first, differing);
    for (std::uint64_t i = common; i < before_count; ++i) {
        before_.skip_value();
    }
    for (std::uint64_t i = common; i < after_count; ++i) {
        after_.skip_value();
    }
}

// What is found by a name or key: members of objects, elements of maps, entities.

namespace {

std::uint64_t hash_text(std::string_view text) {
    return hash_bytes(std::as_bytes(std::span(text)));
}

}  // namespace

void Comparison::objects() {
    for (std::uint64_t place = 0;; ++place) {
        const std::uint64_t before_at = before_.offset();
        const std::uint64_t after_at = after_.offset();
        const bool before_ends = before_.peek() == FieldToken::close;
        const bool after_ends = after_.peek() == FieldToken::close;
        if (before_ends && after_ends) {
            break;
        }
        if (before_ends || after_ends || before_.name() != after_.name()) {
            before_.seek(before_at);
            after_.seek(after_at);
            std::vector<Child> before = rest_of_object(before_, place);
            std::vector<Child> after = rest_of_object(after_, place);
            match(before, after, {FieldToken::object});
            break;
        }
        if (before_.offset() == before_at) {
            path_.push_place(place);
        } else {
            path_.push_name(before_, before_at);
        }
        values();
        path_.pop();
    }
    before_.take();
    after_.take();
}

std::vector<Comparison::Child> Comparison::rest_of_object(FieldCursor& cursor,
                                                          std::uint64_t place) {
    std::vector<Child> children;
    for (; cursor.peek() != FieldToken::close; ++place) {
        const std::uint64_t name_at = cursor.offset();
        const std::string_view name = cursor.name();
        const std::uint64_t key = name.empty() ? place : hash_text(name);
        children.push_back({key, name_at, cursor.offset(), place, false});
        cursor.skip_value();
    }
    return children;
}

void Comparison::keyed(FieldToken token) {
    Kind kind{token};
    if (token == FieldToken::entities) {
        kind.before_name = before_.offset();
        kind.after_name = after_.offset();
        constexpr std::size_t kLongest = 1000;
        if (before_.copy(before_.run(), kLongest) != after_.copy(after_.run(), kLongest)) {
            keyed_otherwise(kind);
            return;
        }
    }
    std::uint64_t before_left = before_.count(2);
    std::uint64_t after_left = after_.count(2);
    FieldStride stride;
    while (before_left != 0 && after_left != 0) {
        const Child child{0, before_.offset(), 0, 0, false};
        const std::uint64_t after_at = after_.offset();
        if (!keys_are_equal()) {
            before_.seek(child.key_at);
            after_.seek(after_at);
            break;
        }
        push(before_, child, kind);
        values();
        path_.pop();
        stride.learn(before_, after_, child.key_at, 2);
        const std::uint64_t passed =
            stride.pass(before_, after_, std::min(before_left, after_left) - 1);
        before_left -= 1 + passed;
        after_left -= 1 + passed;
    }
    if (before_left != 0 || after_left != 0) {
        std::vector<Child> before = rest_of_keyed(before_, before_left);
        std::vector<Child> after = rest_of_keyed(after_, after_left);
        match(before, after, kind);
    }
}

// Entities that are known by one member on one side and by another on the other.
void Comparison::keyed_otherwise(const Kind& kind) {
    changed(kind.before_name - 1, kind.after_name - 1, 0, "their keys are different members");
    before_.seek(kind.before_name - 1);
    after_.seek(kind.after_name - 1);
    before_.skip_value();
    after_.skip_value();
}

// Reads a key from both.
bool Comparison::keys_are_equal() {
    const std::uint64_t before_at = before_.offset();
    const std::uint64_t after_at = after_.offset();
    const std::uint32_t size = number_size(before_.peek());
    if (size != 0 && std::memcmp(before_.at(before_at, size + 1), after_.at(after_at, size + 1),
                                 size + 1) == 0) {
        before_.skip(size + 1);
        after_.skip(size + 1);
        return true;
    }
    return hash_value(before_) == hash_value(after_);
}

std::vector<Comparison::Child> Comparison::rest_of_keyed(FieldCursor& cursor, std::uint64_t count) {
    std::vector<Child> children;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t key_at = cursor.offset();
        const std::uint64_t key = hash_value(cursor);
        children.push_back({key, key_at, cursor.offset(), i, false});
        cursor.skip_value();
    }
    return children;
}

void Comparison::push(FieldCursor& cursor, const Child& child, const Kind& kind) {
    if (kind.token == FieldToken::map) {
        path_.push_key(cursor, child.key_at);
    } else if (kind.token == FieldToken::entities) {
        path_.push_entity(cursor, child.key_at,
                          &cursor == &before_ ? kind.before_name : kind.after_name);
    } else if (child.key_at == child.value_at) {
        path_.push_place(child.place);
    } else {
        path_.push_name(cursor, child.key_at);
    }
}

// Compares the children that both sides have and reports the others. The cursors stay.
void Comparison::match(std::vector<Child>& before, std::vector<Child>& after, const Kind& kind) {
    const std::uint64_t before_end = before_.offset();
    const std::uint64_t after_end = after_.offset();
    std::vector<std::size_t> by_key(after.size());
    for (std::size_t i = 0; i < by_key.size(); ++i) {
        by_key[i] = i;
    }
    std::stable_sort(by_key.begin(), by_key.end(),
                     [&](std::size_t a, std::size_t b) { return after[a].key < after[b].key; });
    for (const Child& child : before) {
        auto place =
            std::lower_bound(by_key.begin(), by_key.end(), child.key,
                             [&](std::size_t i, std::uint64_t key) { return after[i].key < key; });
        while (place != by_key.end() && after[*place].key == child.key && after[*place].used) {
            ++place;
        }
        if (place == by_key.end() || after[*place].key != child.key) {
            only(before_, child, kind);
            continue;
        }
        after[*place].used = true;
        before_.seek(child.value_at);
        after_.seek(after[*place].value_at);
        push(before_, child, kind);
        values();
        path_.pop();
    }
    for (const Child& child : after) {
        if (!child.used) {
            only(after_, child, kind);
        }
    }
    before_.seek(before_end);
    after_.seek(after_end);
}

// How what differs is put into words.

// The place of the kind of the value at path_, which is counted.
std::size_t Comparison::count_kind() {
    const auto [known, is_new] = kinds_.try_emplace(path_.kind(), kinds_.size());
    if (is_new) {
        found_.kinds.push_back({known->first, path_.part(), 0});
    }
    ++found_.kinds[known->second].total;
    return known->second;
}

// The entry for the value at path_; null where no more are listed.
FieldDifference* Comparison::add(DifferenceKind kind) {
    ++found_.total;
    ++found_.values;
    if (silent_) {
        return nullptr;
    }
    const std::size_t field_kind = count_kind();
    if (found_.kinds[field_kind].total > limit_) {
        return nullptr;
    }
    FieldDifference& difference = found_.listed.emplace_back();
    difference.kind = kind;
    difference.path = path_.text();
    difference.field_kind = field_kind;
    return &difference;
}

namespace {

std::string text_at(FieldCursor& cursor, std::uint64_t at, std::uint64_t from) {
    const std::uint64_t here = cursor.offset();
    cursor.seek(at);
    std::string text = value_text(cursor, from);
    cursor.seek(here);
    return text;
}

}  // namespace

void Comparison::changed(std::uint64_t before_at, std::uint64_t after_at, std::uint64_t from,
                         std::string note) {
    if (FieldDifference* difference = add(DifferenceKind::value)) {
        difference->before = text_at(before_, before_at, from);
        difference->after = text_at(after_, after_at, from);
        difference->note = std::move(note);
        const auto type_at = [](FieldCursor& cursor, std::uint64_t at) {
            return static_cast<FieldToken>(std::to_integer<std::uint8_t>(*cursor.at(at, 1)));
        };
        const FieldToken before = type_at(before_, before_at);
        const FieldToken after = type_at(after_, after_at);
        if (before != after && number_size(before) != 0 && number_size(after) != 0) {
            difference->note =
                std::string(number_name(before)) + " → " + std::string(number_name(after));
        }
    }
}

// The numbers' bytes are at these offsets.
void Comparison::changed_number(FieldToken type, std::uint64_t before_at, std::uint64_t after_at) {
    FieldDifference* const difference = add(DifferenceKind::value);
    if (difference == nullptr) {
        return;
    }
    const std::uint32_t size = number_size(type);
    const std::byte* before = before_.at(before_at, size);
    const std::byte* after = after_.at(after_at, size);
    difference->before = number_text(type, before);
    difference->after = number_text(type, after);
    difference->ulps = ulps_between(type, before, after);
    if (type == FieldToken::f32 || type == FieldToken::f64) {
        difference->note = bits_text(type, before) + " → " + bits_text(type, after);
    }
}

// Both cursors are at the integer.
void Comparison::changed_fixed(FixedType type) {
    FieldDifference* const difference = add(DifferenceKind::value);
    if (difference == nullptr) {
        return;
    }
    const std::uint32_t size = number_size(type.number);
    const std::byte* before = before_.at(before_.offset(), size);
    const std::byte* after = after_.at(after_.offset(), size);
    difference->before = fixed_text(type, before);
    difference->after = fixed_text(type, after);
    difference->note = number_text(type.number, before) + " → " + number_text(type.number, after);
    difference->fixed = {integers_between(type.number, before, after), type.fraction_bits};
}

// `differing`: values of elements that both have.
void Comparison::changed_length(std::uint64_t before, std::uint64_t after, std::uint64_t first,
                                std::uint64_t differing) {
    found_.values += differing + std::max(before, after) - std::min(before, after) - 1;
    if (FieldDifference* difference = add(DifferenceKind::length)) {
        difference->before = std::to_string(before);
        difference->after = std::to_string(after);
        difference->note = "first difference at [" + std::to_string(first) + "]";
    }
}

// Only one side has this one.
void Comparison::only(FieldCursor& cursor, const Child& child, const Kind& kind) {
    const bool gone = &cursor == &before_;
    push(cursor, child, kind);
    if (FieldDifference* difference = add(gone ? DifferenceKind::gone : DifferenceKind::added)) {
        (gone ? difference->before : difference->after) = text_at(cursor, child.value_at, 0);
    }
    path_.pop();
}

}  // namespace isotick::core
