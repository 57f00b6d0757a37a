#include "field_cursor.hpp"

#include <isotick/core/hash.hpp>

#include <algorithm>
#include <cstring>

namespace isotick::core {
namespace {

constexpr std::uint64_t kLongestName = 1000;

}  // namespace

FieldCursor::FieldCursor(const FieldBytes& bytes) : bytes_(bytes) {
    const auto version = std::to_integer<unsigned>(*bytes_.at(0, 1));
    if (version != kFieldsVersion) {
        damaged("the field stream has version " + std::to_string(version) +
                ", this isotick reads version " + std::to_string(kFieldsVersion));
    }
    offset_ = 1;
}

std::uint64_t FieldCursor::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(*bytes_.at(offset_, 1));
        ++offset_;
        if (shift == 63 && byte > 1) {
            break;
        }
        value |= (byte & 0x7fU) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    damaged("a number does not end");
}

std::uint64_t FieldCursor::count(std::uint64_t least) {
    const std::uint64_t count = varint();
    if (count > (bytes_.size() - offset_) / least) {
        damaged("claims " + std::to_string(count) + " values, more than the bytes left can hold");
    }
    return count;
}

FieldToken FieldCursor::number_type() {
    const FieldToken type = take();
    if (number_size(type) == 0) {
        --offset_;
        damaged("expects a type of numbers");
    }
    return type;
}

FixedType FieldCursor::fixed_type() {
    const auto fraction_bits = std::to_integer<unsigned>(*bytes_.at(offset_, 1));
    ++offset_;
    const FieldToken number = number_type();
    if (!is_integer(number) || fraction_bits == 0 || fraction_bits > 8 * number_size(number)) {
        offset_ -= 2;
        damaged(
            "has a fixed-point number that is not an integer, or with too many bits after its "
            "point");
    }
    return {number, fraction_bits};
}

FieldRun FieldCursor::run() {
    const std::uint64_t size = count(1);
    const FieldRun run{offset_, size};
    offset_ += size;
    return run;
}

void FieldCursor::skip(std::uint64_t size) {
    if (size > bytes_.size() - offset_) {
        damaged("the field stream ends early");
    }
    offset_ += size;
}

std::string FieldCursor::copy(FieldRun run, std::size_t most) {
    std::string text;
    const std::uint64_t end = run.offset + std::min<std::uint64_t>(run.size, most);
    while (run.offset < end) {
        const auto step =
            static_cast<std::size_t>(std::min<std::uint64_t>(end - run.offset, kFieldBlock));
        text.append(reinterpret_cast<const char*>(bytes_.at(run.offset, step)), step);
        run.offset += step;
    }
    return text;
}

std::string_view FieldCursor::read_name() {
    const std::uint64_t start = offset_;
    const FieldToken token = take();
    if (token == FieldToken::name) {
        const std::uint64_t number = varint();
        if (number >= names_.size()) {
            damaged("refers to a name that is not defined");
        }
        return names_[static_cast<std::size_t>(number)];
    }
    const FieldRun text = run();
    if (text.size == 0 || text.size > kLongestName) {
        damaged("a name is empty or too long");
    }
    if (token == FieldToken::long_name) {
        return long_name_ = copy(text, kLongestName);
    }
    const auto place = std::lower_bound(defined_at_.begin(), defined_at_.end(), start);
    if (place != defined_at_.end()) {  // read again
        return names_[static_cast<std::size_t>(place - defined_at_.begin())];
    }
    if (names_.size() == kMostFieldNames) {
        damaged("defines more than " + std::to_string(kMostFieldNames) + " names");
    }
    defined_at_.push_back(start);
    return names_.emplace_back(copy(text, kLongestName));
}

void FieldCursor::skip_values(std::uint64_t count, int depth) {
    for (std::uint64_t i = 0; i < count; ++i) {
        skip_value(depth);
    }
}

void FieldCursor::skip_object(int depth) {
    while (peek() != FieldToken::close) {
        name();
        skip_value(depth);
    }
    ++offset_;
}

void FieldCursor::skip_value(int depth) {
    if (depth > kDeepest) {
        damaged("values are nested too deeply");
    }
    const FieldToken token = take();
    switch (token) {
        case FieldToken::object:
            return skip_object(depth + 1);
        case FieldToken::sequence:
            return skip_values(count(1), depth + 1);
        case FieldToken::entities:
            run();
            return skip_values(2 * count(2), depth + 1);
        case FieldToken::map:
            return skip_values(2 * count(2), depth + 1);
        case FieldToken::none:
            return;
        case FieldToken::alternative:
            skip_varint();
            return skip_value(depth + 1);
        case FieldToken::shared:
            return skip_value(depth + 1);
        case FieldToken::reference:
            return skip_varint();
        case FieldToken::text:
        case FieldToken::bytes:
            return skip(count(1));
        case FieldToken::named:
            run();
            return skip(number_size(number_type()));
        case FieldToken::fixed:
            return skip(number_size(fixed_type().number));
        case FieldToken::array: {
            const std::uint64_t size = number_size(number_type());
            return skip(size * count(size));
        }
        default:
            --offset_;
            return skip(number_size(number_type()));
    }
}

void FieldCursor::expect_end() {
    if (take() != FieldToken::end || offset_ != bytes_.size()) {
        --offset_;
        damaged("extra bytes after the only value of the field stream");
    }
}

namespace {

// Appends the value that comes next in a form without name numbers, cut to about a block.
void append_canonical(FieldCursor& cursor, std::string& text, int depth) {
    const std::uint64_t start = cursor.offset();
    const FieldToken token = cursor.peek();
    if (depth > FieldCursor::kDeepest) {
        cursor.damaged("values are nested too deeply");
    }
    if (token == FieldToken::object) {
        cursor.take();
        text += '{';
        while (cursor.peek() != FieldToken::close) {
            text.append(cursor.name()) += '=';
            append_canonical(cursor, text, depth + 1);
        }
        cursor.take();
        text += '}';
    } else if (token == FieldToken::sequence) {
        cursor.take();
        const std::uint64_t count = cursor.count(1);
        text.append("[").append(std::to_string(count));
        for (std::uint64_t i = 0; i < count; ++i) {
            append_canonical(cursor, text, depth + 1);
        }
    } else {
        cursor.skip_value();
        const std::uint64_t size = cursor.offset() - start;
        text += cursor.copy({start, size}, kFieldBlock - std::min(text.size(), kFieldBlock));
    }
}

}  // namespace

std::uint64_t hash_value(FieldCursor& cursor) {
    std::string text;
    append_canonical(cursor, text, 0);
    return hash_bytes(std::as_bytes(std::span(text)));
}

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
