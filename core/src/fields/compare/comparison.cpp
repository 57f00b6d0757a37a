#include "comparison.hpp"

#include "../field_stride.hpp"

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
        std::uint64_t first = 0;
        const std::uint64_t common = std::min(before_count, after_count);
        while (first < common &&
               std::memcmp(before_.at(before_.offset() + first * size, size),
                           after_.at(after_.offset() + first * size, size), size) == 0) {
            ++first;
        }
        changed_length(before_count, after_count, first);
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
    const bool silent = silent_;
    std::uint64_t first = 0;
    std::uint64_t read = 0;
    silent_ = true;
    FieldStride stride;
    while (read < common) {
        const std::uint64_t start = before_.offset();
        values();
        ++read;
        if (found_.total != total) {
            break;
        }
        stride.learn(before_, after_, start, 1);
        read += stride.pass(before_, after_, common - read);
        first = read;
    }
    silent_ = silent;
    found_.total = total;
    changed_length(before_count, after_count, first);
    for (std::uint64_t i = read; i < before_count; ++i) {
        before_.skip_value();
    }
    for (std::uint64_t i = read; i < after_count; ++i) {
        after_.skip_value();
    }
}

}  // namespace isotick::core
