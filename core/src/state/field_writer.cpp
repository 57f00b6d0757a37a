// Writes field streams, their shapes, and state dumps.

#include "field_cursor.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/field_writer.hpp>
#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/load_archive.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace isotick::core {

const char* number_name(FieldToken token) {
    switch (token) {
        case FieldToken::u8:
            return "u8";
        case FieldToken::u16:
            return "u16";
        case FieldToken::u32:
            return "u32";
        case FieldToken::u64:
            return "u64";
        case FieldToken::i8:
            return "i8";
        case FieldToken::i16:
            return "i16";
        case FieldToken::i32:
            return "i32";
        case FieldToken::i64:
            return "i64";
        case FieldToken::f32:
            return "f32";
        case FieldToken::f64:
            return "f64";
        case FieldToken::boolean:
            return "bool";
        default:
            return "";
    }
}

std::string fixed_name(FieldToken token, unsigned fraction_bits) {
    return number_name(token) + std::string("/2^") + std::to_string(fraction_bits);
}

void FieldWriter::name_slowly(const char* name) {
    const std::string_view text(name);
    auto known = numbers_.find(text);
    if (known == numbers_.end()) {
        if (numbers_.size() == kMostFieldNames) {
            put_text(FieldToken::long_name, text);
            return;
        }
        put_text(FieldToken::new_name, text);
        known = numbers_.emplace(text, static_cast<std::uint32_t>(numbers_.size())).first;
    } else {
        put_counted(FieldToken::name, known->second);
    }
    cache_[slot(name)] = {name, known->first, known->second};
}

void ShapeWriter::end_object() {
    if (frames_.back().done == 0) {
        text_ += path_ + " nothing\n";
    }
    close();
}

void ShapeWriter::leaf(std::string_view type) {
    const std::size_t size = path_.size();
    step();
    text_.append(path_).append(" ").append(type).append("\n");
    path_.resize(size);
    if (text_.size() > kLongest) {
        throw std::length_error("the state has too many different values to describe");
    }
}

bool ShapeWriter::begin_example(const void* tag) {
    if (std::find(examples_.begin(), examples_.end(), tag) != examples_.end()) {
        return false;
    }
    examples_.push_back(tag);
    return true;
}

void ShapeWriter::open(std::string_view suffix, bool object) {
    const std::size_t size = path_.size();
    step();
    path_ += suffix;
    frames_.push_back({size, object, 0});
}

void ShapeWriter::close() {
    path_.resize(frames_.back().path_size);
    frames_.pop_back();
}

// Goes on to the next value: path_ becomes its path.
void ShapeWriter::step() {
    if (!frames_.empty() && frames_.back().object) {
        Frame& frame = frames_.back();
        path_ += path_.empty() ? "" : ".";
        path_ += name_.empty() ? std::to_string(frame.done) : name_;
        ++frame.done;
    }
    name_.clear();
}

namespace {

constexpr std::array<unsigned char, 8> kMagic = {0x8a, 'I', 'S', 'D', '\r', '\n', 0x1a, '\n'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kLongestNameInDump = 1000;

bool is_fit(const std::string& name) {
    return !name.empty() && name.size() <= kLongestNameInDump;
}

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
}

template <class T>
void append_number(std::vector<std::byte>& bytes, T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) {
        bytes.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
    }
}

void append_text(std::vector<std::byte>& bytes, const std::string& text) {
    append_number(bytes, static_cast<std::uint32_t>(text.size()));
    append(bytes, text.data(), text.size());
}

std::string read_text(LoadReader& reader) {
    const std::size_t size = reader.number<std::uint32_t>();
    if (size == 0 || size > kLongestNameInDump) {
        throw std::runtime_error("a name in the head of the state dump is empty or too long");
    }
    const auto bytes = reader.take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::vector<std::byte>> state_dump_head(const StateDumpHead& head) {
    if (!is_fit(head.simulation) || !is_fit(head.hash_algorithm)) {
        return fail(ErrorCode::usage, "the names in a state dump's head are 1 to " +
                                          std::to_string(kLongestNameInDump) + " bytes long");
    }
    std::vector<std::byte> bytes;
    append(bytes, kMagic.data(), kMagic.size());
    append_number(bytes, kVersion);
    append_text(bytes, head.simulation);
    append_number(bytes, head.tick);
    append_text(bytes, head.hash_algorithm);
    append_number(bytes, head.hash);
    return bytes;
}

Result<StateDump> read_state_dump(std::span<const std::byte> bytes) {
    LoadReader reader(bytes);
    if (bytes.size() < kMagic.size() ||
        std::memcmp(reader.take(kMagic.size()).data(), kMagic.data(), kMagic.size()) != 0) {
        return fail(ErrorCode::damaged, "this is not a state dump");
    }
    try {
        const auto version = reader.number<std::uint32_t>();
        if (version != kVersion) {
            return fail(ErrorCode::version,
                        "the state dump has version " + std::to_string(version) +
                            ", this isotick reads version " + std::to_string(kVersion));
        }
        StateDump dump;
        dump.head.simulation = read_text(reader);
        dump.head.tick = reader.number<std::uint64_t>();
        dump.head.hash_algorithm = read_text(reader);
        dump.head.hash = reader.number<std::uint64_t>();
        dump.fields = bytes.subspan(reader.offset());
        return dump;
    } catch (const std::exception& thrown) {
        Error failed = caught(thrown, ErrorCode::damaged);
        failed.offset = reader.offset();
        return tl::unexpected(std::move(failed));
    }
}

Result<void> check_fields(std::span<const std::byte> fields) {
    try {
        FieldCursor cursor{FieldBytes(fields)};
        cursor.skip_value();
        cursor.expect_end();
        return {};
    } catch (const FieldDamage& damage) {
        return failure(damage);
    }
}

}  // namespace isotick::core
