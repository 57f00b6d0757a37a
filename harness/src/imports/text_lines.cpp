#include "text_lines.hpp"

#include "../system/hex.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>

#include <algorithm>
#include <exception>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

constexpr std::size_t kPiece = 64 * 1024;

}  // namespace

Result<bool> LineReader::next() {
    for (;;) {
        auto there = next_of_any_kind();
        const bool blank = line_.find_first_not_of(" \t\r") == std::string_view::npos;
        if (!there || !*there || !blank) {
            return there;
        }
    }
}

Result<bool> LineReader::next_of_any_kind() {
    std::size_t searched = at_;
    for (;;) {
        const std::size_t end = buffer_.find('\n', searched);
        const std::size_t size = (end == std::string::npos ? buffer_.size() : end) - at_;
        if (size > longest_) {
            return core::fail(ErrorCode::limit, "line " + std::to_string(number_ + 1) +
                                                    " is longer than " + std::to_string(longest_) +
                                                    " bytes");
        }
        if (end != std::string::npos || (ended_ && size > 0)) {
            line_ = std::string_view(buffer_).substr(at_, size);
            is_open_ = end == std::string::npos;
            at_ = end == std::string::npos ? buffer_.size() : end + 1;
            ++number_;
            return true;
        }
        if (ended_) {
            return false;
        }
        searched = size;  // fill moves what is left to the front
        ISOTICK_TRY(fill());
    }
}

// Appends a piece of the stream to what is left of the buffer.
Result<bool> LineReader::fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kPiece);
    std::streamsize count = 0;
    try {
        stream_.read(buffer_.data() + before, static_cast<std::streamsize>(kPiece));
        count = stream_.gcount();
    } catch (const std::exception&) {  // a stream that was told to throw
        count = stream_.gcount();
    }
    buffer_.resize(before + static_cast<std::size_t>(count));
    if (stream_.bad()) {
        return core::fail(ErrorCode::io, "cannot be read");
    }
    ended_ = !stream_;
    return true;
}

namespace {

using core::JsonMember;
using core::JsonValue;
using Kind = JsonValue::Kind;

std::string quoted_name(std::string_view name) {
    return "\"" + std::string(name) + "\"";
}

}  // namespace

void check_members(const JsonValue& object, std::initializer_list<std::string_view> known) {
    for (const JsonMember& member : object.members) {
        if (std::ranges::find(known, std::string_view(member.name)) == known.end()) {
            throw BadText{
                member.name_offset,
                quoted_name(member.name) + " is unknown here; there are " + core::joined(known)};
        }
    }
}

void expect(const JsonValue& value, Kind kind, std::string_view name) {
    if (value.kind != kind) {
        throw BadText{value.offset, quoted_name(name) + " must be " + std::string(to_string(kind)) +
                                        ", not " + std::string(to_string(value.kind))};
    }
}

std::uint64_t number_from(const JsonValue& value, std::string_view name, std::uint64_t least,
                          std::uint64_t most) {
    const auto number = value.as_unsigned();
    if (!number || *number < least || *number > most) {
        throw BadText{value.offset, quoted_name(name) + " must be a whole number from " +
                                        std::to_string(least) + " to " + std::to_string(most)};
    }
    return *number;
}

bool truth_from(const JsonValue& value, std::string_view name) {
    expect(value, Kind::boolean, name);
    return value.truth;
}

std::string text_from(const JsonValue& value, std::string_view name) {
    if (value.kind != Kind::object) {
        expect(value, Kind::string, name);
        return value.text;
    }
    check_members(value, {"hex"});
    const JsonValue* hex = value.find("hex");
    const auto bytes =
        hex != nullptr && hex->kind == Kind::string ? bytes_from_hex(hex->text) : std::nullopt;
    if (!bytes) {
        throw BadText{value.offset, quoted_name(name) +
                                        " must be a string, or hexadecimal as {\"hex\":\"c3a4\"}"};
    }
    return {bytes->begin(), bytes->end()};
}

core::Settings settings_from_text(const JsonValue& value, std::string_view name) {
    core::Settings settings;
    const auto add = [&](std::size_t offset, const std::string& key, const std::string& text) {
        if (settings.find(key)) {
            throw BadText{offset, quoted_name(name) + " has the same key twice"};
        }
        if (auto set = settings.set(key, text); !set) {
            throw BadText{offset, set.error().message};
        }
    };
    if (value.kind == Kind::array) {
        for (const JsonMember& pair : value.members) {
            if (pair.value.kind != Kind::array || pair.value.members.size() != 2) {
                throw BadText{pair.value.offset, quoted_name(name) + " needs pairs: [key, value]"};
            }
            add(pair.value.offset, text_from(pair.value.members[0].value, name),
                text_from(pair.value.members[1].value, name));
        }
        return settings;
    }
    expect(value, Kind::object, name);
    for (const JsonMember& member : value.members) {
        add(member.name_offset, member.name, text_from(member.value, member.name));
    }
    return settings;
}

std::uint64_t hash_from(const JsonValue& value, std::string_view name) {
    const auto hash = value.kind == Kind::string ? hash_from_hex(value.text) : std::nullopt;
    if (!hash) {
        throw BadText{value.offset,
                      quoted_name(name) + " must be a string of 16 hexadecimal digits"};
    }
    return *hash;
}

core::TickDt dt_from(const JsonValue& value) {
    expect(value, Kind::string, "dt");
    const auto dt = core::TickDt::parse(value.text);
    if (!dt) {
        throw BadText{value.offset, dt.error().message};
    }
    return *dt;
}

std::vector<core::PartHash> parts_from(const JsonValue& value) {
    expect(value, Kind::array, "parts");
    if (value.members.size() > ISOTICK_MOST_PARTS) {
        throw BadText{value.offset, "\"parts\" has more than 256 hashes", core::ErrorCode::limit};
    }
    std::vector<core::PartHash> parts;
    for (const JsonMember& part : value.members) {
        parts.push_back({hash_from(part.value, "parts")});
    }
    return parts;
}

TextHashes state_from(const JsonValue& value, std::string_view name) {
    expect(value, Kind::object, name);
    check_members(value, {"hash", "parts"});
    const JsonValue* hash = value.find("hash");
    if (hash == nullptr) {
        throw BadText{value.offset, quoted_name(name) + " needs a \"hash\""};
    }
    TextHashes hashes{{hash_from(*hash, "hash")}, {}};
    if (const JsonValue* parts = value.find("parts")) {
        hashes.parts = parts_from(*parts);
    }
    return hashes;
}

}  // namespace isotick::harness
