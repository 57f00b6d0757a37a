// How what differs is put into words.

#include "comparison.hpp"

namespace isotick::core {

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

void Comparison::changed_length(std::uint64_t before, std::uint64_t after, std::uint64_t first) {
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
