#include "layout_fields.hpp"

#include "field_reader.hpp"
#include "tick_codec.hpp"

#include <isotick/core/plugin.h>
#include <isotick/replay/recording_head.hpp>

#include <algorithm>

namespace isotick::replay {
namespace {

std::string ticks_text(std::uint64_t first, std::uint64_t count) {
    return "ticks " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

std::string counted(std::uint64_t count, const std::string& noun, const std::string& plural) {
    return std::to_string(count) + " " + (count == 1 ? noun : plural);
}

void settings_fields(FieldReader& in, const std::string& name) {
    const auto count = in.number<std::uint32_t>(name);
    in.explain(count == 1 ? " entry" : " entries");
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        in.string("  key");
        in.string("  value");
    }
}

void session_fields(FieldReader& in) {
    in.string("simulation");
    in.number<std::uint32_t>("rate numerator");
    in.explain(" ticks");
    in.number<std::uint32_t>("rate denominator");
    in.explain(" seconds");
    in.number<std::uint32_t>("players");
    in.number<std::uint64_t>("seed");
    settings_fields(in, "config");
}

void body_fields(FieldReader& in) {
    session_fields(in);
    in.number<std::uint32_t>("chunk ticks");
    in.string("hash algorithm");
    in.string("NaN policy");
    in.number<std::uint32_t>("hash every");
    in.number<std::uint32_t>("parts every");
    const auto parts = in.number<std::uint32_t>("parts");
    if (parts > ISOTICK_MOST_PARTS) {
        in.fail("part names");
    }
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < parts && in.ok(); ++i) {
        names.push_back(in.string("  part name"));
    }
    settings_fields(in, "notes");
    in.hash("initial state hash");
    for (std::uint32_t i = 0; parts > 1 && i < parts && in.ok(); ++i) {
        in.hash("initial part hash");
        in.explain(" of " + names[i]);
    }
    if (in.ok() && in.remaining() != 0) {
        in.bytes("more fields", in.remaining(), "of a newer version");
    }
}

constexpr const char* kZstdForm = "zstd";

std::string block_form(bool zstd) {
    return zstd ? kZstdForm : "plain";
}

// The size of a block and the block; how many bytes it has.
std::string block_fields(FieldReader& in, const std::string& name, const std::string& value,
                         const std::string& form) {
    const std::uint64_t stored = in.varint("stored size");
    in.explain(" bytes of " + name);
    in.bytes(name, stored, form == kZstdForm ? value + ", compressed" : value);
    return counted(stored, "byte", "bytes");
}

// The state hashes and part hashes of a chunk; how many there are.
std::string hash_fields(FieldReader& in, const ChunkHeader& header, const HashStride& stride) {
    std::uint64_t states = 0;
    std::uint64_t parts = 0;
    for (std::uint32_t i = 0; i < header.ticks(); ++i) {
        states += stride.hash_due({header.first + i}) ? 1U : 0U;
        parts += stride.parts_due({header.first + i}) ? 1U : 0U;
    }
    const std::string state_text = counted(states, "state hash", "state hashes");
    const std::string part_text = counted(parts * stride.part_count, "part hash", "part hashes") +
                                  " after " + counted(parts, "tick", "ticks");
    if (states != 0) {
        in.bytes("state hashes", 8 * states, state_text);
    }
    if (parts != 0) {
        in.bytes("part hashes", 8 * parts * stride.part_count, part_text);
    }
    return state_text + (parts == 0 ? "" : ", " + part_text);
}

std::string tick_fields(FieldReader& in, const ChunkHeader& header, const HashStride& stride) {
    const auto flags = in.number<std::uint8_t>("flags");
    const bool has_dts = (flags & kHasDts) != 0;
    const std::string form = block_form((flags & kInputsAreZstd) != 0);
    const std::string dt_form = block_form((flags & kDtsAreZstd) != 0);
    in.explain(": the input block is " + form + (has_dts ? ", the dt block " + dt_form : ""));
    std::string content = block_fields(in, "input block", "the inputs as columns", form);
    content += " of inputs" + std::string(form == kZstdForm ? " (zstd)" : "");
    if (has_dts) {
        content += ", " + block_fields(in, "dt block", "the dts as runs", dt_form) + " of dts";
        content += dt_form == kZstdForm ? " (zstd)" : "";
    }
    const std::string hashes = hash_fields(in, header, stride);
    in.digest("session digest");
    in.digest("hash digest");
    return ticks_text(header.first, header.ticks()) + "; " + content + ", " + hashes;
}

std::string final_fields(FieldReader& in, const ChunkHeader& header, const HashStride& stride) {
    const core::Tick last{header.first - 1};
    if (header.first != 0 && !stride.hash_due(last)) {
        in.hash("state hash");
        in.explain(" after the last tick");
    }
    const bool has_parts = header.first != 0 && stride.has_parts() && !stride.parts_due(last);
    for (std::uint32_t i = 0; has_parts && i < stride.part_count; ++i) {
        in.hash("part hash");
    }
    in.digest("session digest");
    in.digest("hash digest");
    return header.first == 0 ? "the recording ends without a tick"
                             : "the recording ends with tick " + std::to_string(last.value);
}

std::string index_fields(FieldReader& in) {
    const auto form = in.number<std::uint8_t>("form");
    in.explain(form == 0 ? ": the list is plain" : ": the list is zstd");
    in.varint("ticks");
    const std::uint64_t chunks = in.varint("chunks");
    in.bytes("list", in.remaining(), "the distances from chunk to chunk");
    return "where " + counted(chunks, "tick chunk begins", "tick chunks begin");
}

}  // namespace

void head_fields(std::span<const std::byte> bytes, std::vector<LayoutField>& fields) {
    FieldReader in(bytes, 0, fields);
    std::string magic;
    for (const std::byte byte : bytes.first(std::min<std::size_t>(8, bytes.size()))) {
        magic += (magic.empty() ? "" : " ") +
                 core::to_hex(std::to_integer<std::uint64_t>(byte)).substr(14);
    }
    in.bytes("magic", 8, magic);
    in.number<std::uint16_t>("version");
    in.number<std::uint16_t>("smallest reader");
    in.number<std::uint32_t>("length");
    in.explain(" bytes of body");
    in.checksum("checksum");
    const auto size = decode_head(bytes);
    in.explain(size ? ", right" : "");
    body_fields(in);
}

std::string type_name(const ChunkHeader& header) {
    if (header.version != kChunkVersion) {
        return "unknown chunk";
    }
    switch (header.type) {
        case kTickChunk:
            return "tick chunk";
        case kFinalChunk:
            return "final chunk";
        case kPartialMark:
            return "partial mark";
        case kIndexChunk:
            return "index";
        case kEndMark:
            return "end mark";
        default:
            return "unknown chunk";
    }
}

void header_fields(std::span<const std::byte> bytes, std::uint64_t offset,
                   std::vector<LayoutField>& fields) {
    FieldReader in(bytes, offset, fields);
    in.bytes("sync marker", kSyncMarker.size(), "fe c0 de f5");
    const auto type = in.number<std::uint8_t>("type");
    const auto version = in.number<std::uint8_t>("version");
    fields[fields.size() - 2].value = "0x" + core::to_hex(type).substr(14) + ": " +
                                      type_name({.type = type, .version = version}) +
                                      (is_optional(type) ? ", which readers may skip" : "");
    const auto less_one = in.number<std::uint16_t>("ticks − 1");
    in.explain(type == kTickChunk ? ": " + counted(less_one + std::uint64_t{1}, "tick", "ticks")
                                  : "");
    in.number<std::uint32_t>("length");
    in.explain(" bytes of payload");
    in.number<std::uint64_t>("first");
    in.explain(type == kTickChunk     ? ": its first tick"
               : type == kFinalChunk  ? ": the end, the last tick + 1"
               : type == kPartialMark ? ": the recording's first tick"
               : type == kEndMark     ? ": where the index begins"
                                      : "");
    in.checksum("header checksum");
    in.explain(", right");
}

std::string payload_fields(const ChunkHeader& header, std::span<const std::byte> payload,
                           std::uint64_t offset, const HashStride& stride,
                           std::vector<LayoutField>& fields) {
    FieldReader in(payload, offset, fields);
    switch (header.version == kChunkVersion ? header.type : 0) {
        case kTickChunk:
            return tick_fields(in, header, stride);
        case kFinalChunk:
            return final_fields(in, header, stride);
        case kIndexChunk:
            return index_fields(in);
        case kEndMark:
            return "the index begins at byte " + std::to_string(header.first);
        case kPartialMark:
            return "the recording begins with tick " + std::to_string(header.first);
        default:
            return "of a newer version, or of another writer";
    }
}

}  // namespace isotick::replay
