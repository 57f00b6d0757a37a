#include "field_stride.hpp"

#include <algorithm>
#include <cstring>

namespace isotick::core {
namespace {

constexpr std::size_t kLongestStride = 1024;
constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t word(const std::byte* bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes, kWord);
    return value;
}

}  // namespace

void FieldStride::learn(FieldCursor& before, const FieldCursor& after, std::uint64_t start,
                        int values) {
    constexpr std::uint64_t kPatience = 16;
    bytes_.clear();
    mask_.clear();
    const std::uint64_t end = before.offset();
    const bool worth_it = learnt_ < kPatience + passed_ / 4;
    if (!worth_it || end - start > kLongestStride || end - start < kWord ||
        !before.names_as(after)) {
        return;
    }
    ++learnt_;
    before.seek(start);
    bool fixed = true;
    for (int i = 0; i < values && fixed; ++i) {
        fixed = add_value(before, 0);
    }
    before.seek(end);
    if (!fixed || bytes_.size() != end - start) {
        bytes_.clear();
        mask_.clear();
    }
}

// Adds the next value to the layout; false if its size is not fixed.
bool FieldStride::add_value(FieldCursor& cursor, int depth) {
    constexpr int kDeepest = 16;
    const FieldToken token = cursor.peek();
    if (const std::uint32_t size = number_size(token); size != 0) {
        add(cursor, 1, true);
        add(cursor, size, false);
        return true;
    }
    if (token == FieldToken::fixed) {
        const std::uint64_t start = cursor.offset();
        cursor.take();
        const std::uint32_t size = number_size(cursor.fixed_type().number);
        const auto head = static_cast<std::size_t>(cursor.offset() - start);
        cursor.seek(start);
        add(cursor, head, true);
        add(cursor, size, false);
        return true;
    }
    if (token == FieldToken::none) {
        add(cursor, 1, true);
        return true;
    }
    if (token != FieldToken::object || depth == kDeepest) {
        return false;
    }
    add(cursor, 1, true);
    while (cursor.peek() != FieldToken::close) {
        const std::uint64_t name_at = cursor.offset();
        if (cursor.peek() == FieldToken::name) {
            cursor.name();
            const auto size = static_cast<std::size_t>(cursor.offset() - name_at);
            cursor.seek(name_at);
            add(cursor, size, true);
        }
        if (!add_value(cursor, depth + 1)) {
            return false;
        }
    }
    add(cursor, 1, true);
    return true;
}

void FieldStride::add(FieldCursor& cursor, std::size_t count, bool fixed) {
    const std::byte* bytes = cursor.at(cursor.offset(), count);
    bytes_.insert(bytes_.end(), bytes, bytes + count);
    mask_.insert(mask_.end(), count, fixed ? std::byte{0xff} : std::byte{0});
    cursor.skip(count);
}

bool FieldStride::matches(const std::byte* before, const std::byte* after) const {
    const std::size_t size = bytes_.size();
    std::uint64_t differs = 0;
    const auto look = [&](std::size_t at) {
        const std::uint64_t here = word(before + at);
        differs |= (here ^ word(after + at)) | ((here ^ word(&bytes_[at])) & word(&mask_[at]));
    };
    for (std::size_t at = 0; at + kWord <= size; at += kWord) {
        look(at);
    }
    look(size - kWord);
    return differs == 0;
}

std::uint64_t FieldStride::pass(FieldCursor& before, FieldCursor& after, std::uint64_t most) {
    const std::size_t size = bytes_.size();
    std::uint64_t passed = 0;
    while (size != 0 && passed < most) {
        const std::uint64_t left = std::min(before.left(), after.left()) / size;
        const auto now = static_cast<std::size_t>(
            std::min<std::uint64_t>({kFieldBlock / size, most - passed, left}));
        if (now == 0) {
            break;
        }
        const std::byte* a = before.at(before.offset(), now * size);
        const std::byte* b = after.at(after.offset(), now * size);
        std::size_t equal = 0;
        while (equal < now && matches(a + equal * size, b + equal * size)) {
            ++equal;
        }
        before.skip(equal * size);
        after.skip(equal * size);
        passed += equal;
        if (equal < now) {
            break;
        }
    }
    passed_ += passed;
    return passed;
}

}  // namespace isotick::core
