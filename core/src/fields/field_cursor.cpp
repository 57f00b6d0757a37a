#include "field_cursor.hpp"

#include <isotick/core/hash.hpp>

#include <algorithm>

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

}  // namespace isotick::core
