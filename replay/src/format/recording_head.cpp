#include "recording_head.hpp"

#include "bytes.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/plugin.h>
#include <isotick/replay/detail/recording_head.hpp>

#include <algorithm>
#include <array>

namespace isotick::replay {

std::vector<std::byte> canonical_bytes(const SessionInfo& info) {
    Bytes out;
    put_string(out, info.simulation);
    put(out, info.rate.numerator());
    put(out, info.rate.denominator());
    put(out, info.players);
    put(out, info.seed);
    put_settings(out, info.config);
    return out;
}

void put_settings(Bytes& out, const core::Settings& settings) {
    put(out, static_cast<std::uint32_t>(settings.entries().size()));
    for (const auto& [key, value] : settings.entries()) {
        put_string(out, key);
        put_string(out, value);
    }
}

core::Settings read_settings(ByteReader& in) {
    core::Settings settings;
    std::string previous;
    const auto count = in.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        std::string key = in.string();
        const bool ascending = i == 0 || previous < key;
        previous = key;
        if (!ascending || !settings.set(std::move(key), in.string())) {
            in.fail();
        }
    }
    return settings;
}

SessionInfo read_session(ByteReader& in) {
    SessionInfo info;
    info.simulation = in.string();
    const auto numerator = in.get<std::uint32_t>();
    const auto denominator = in.get<std::uint32_t>();
    const auto rate = core::TickRate::make(numerator, denominator);
    if (!rate || rate->numerator() != numerator) {
        in.fail();
    } else {
        info.rate = *rate;
    }
    info.players = in.get<std::uint32_t>();
    info.seed = in.get<std::uint64_t>();
    info.config = read_settings(in);
    return info;
}

std::uint32_t chunk_ticks(core::TickRate rate) {
    constexpr std::uint32_t kFewest = 16;
    constexpr std::uint32_t kMost = 4096;
    std::uint32_t ticks = kFewest;
    while (ticks < kMost && std::uint64_t{ticks} * rate.denominator() < rate.numerator()) {
        ticks *= 2;
    }
    return ticks;
}

namespace {

using core::ErrorCode;
using core::fail;
using core::Result;

constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'I', 'S', 'O', 0x0d, 0x0a, 0x1a, 0x0a};
constexpr std::size_t kChecksumAt = 16;

// Of the whole block without the checksum itself.
std::uint32_t head_checksum(std::span<const std::byte> block) {
    core::StreamHasher hasher;
    hasher.update(block.first(kChecksumAt));
    hasher.update(block.subspan(kHeadPrefixSize));
    return static_cast<std::uint32_t>(hasher.value());
}

bool has_duplicates(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) != names.end();
}

Bytes encode_body(const RecordingHead& head, const TickHashes& initial) {
    Bytes body = canonical_bytes(head.session);
    put(body, chunk_ticks(head.session.rate));
    put_string(body, head.hash_algorithm);
    put_string(body, head.nan_policy);
    put(body, head.hash_every);
    put(body, head.parts_every);
    put(body, static_cast<std::uint32_t>(head.part_names.size()));
    for (const std::string& name : head.part_names) {
        put_string(body, name);
    }
    put_settings(body, head.notes);
    put(body, initial.state.value);
    if (head.stride().has_parts()) {
        for (const core::PartHash part : initial.parts) {
            put(body, part.value);
        }
    }
    return body;
}

void read_part_names(ByteReader& in, std::vector<std::string>& names) {
    names.clear();
    const auto count = in.get<std::uint32_t>();
    if (count > ISOTICK_MOST_PARTS) {
        in.fail();
    }
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        names.push_back(in.string());
    }
}

// Returns the chunk length that the body states.
std::uint32_t read_body(ByteReader& in, DecodedHead& decoded) {
    RecordingHead& head = decoded.head;
    head.session = read_session(in);
    const auto chunk_length = in.get<std::uint32_t>();
    head.hash_algorithm = in.string();
    head.nan_policy = in.string();
    head.hash_every = in.get<std::uint32_t>();
    head.parts_every = in.get<std::uint32_t>();
    read_part_names(in, head.part_names);
    head.notes = read_settings(in);
    decoded.initial_state.value = in.get<std::uint64_t>();
    if (head.stride().has_parts()) {
        for (std::size_t i = 0; i < head.part_names.size(); ++i) {
            decoded.initial_parts.push_back({in.get<std::uint64_t>()});
        }
    }
    return chunk_length;
}

tl::unexpected<core::Error> bad_head(std::string message) {
    return fail(ErrorCode::damaged, "the recording's head is damaged: " + std::move(message));
}

}  // namespace

Result<void> check(const RecordingHead& head) {
    if (head.session.simulation.empty()) {
        return fail(ErrorCode::usage, "a recording needs the name of its simulation");
    }
    if (head.session.players > kMostPlayers) {
        return fail(ErrorCode::limit, "a recording can have at most 4096 players, not " +
                                          std::to_string(head.session.players));
    }
    if (head.hash_algorithm.empty() || head.nan_policy.empty()) {
        return fail(ErrorCode::usage, "a recording needs its hash algorithm and NaN policy named");
    }
    if (head.hash_every == 0 || head.parts_every == 0) {
        return fail(ErrorCode::usage, "a hash stride must be at least 1");
    }
    if (head.part_names.empty() || head.part_names.size() > ISOTICK_MOST_PARTS) {
        return fail(ErrorCode::limit, "a state must have from 1 to 256 parts, not " +
                                          std::to_string(head.part_names.size()));
    }
    if (has_duplicates(head.part_names)) {
        return fail(ErrorCode::usage, "two parts of the state have the same name");
    }
    return {};
}

Result<std::vector<std::byte>> encode_head(const RecordingHead& head, const TickHashes& initial) {
    ISOTICK_TRY(check(head));
    if (head.stride().has_parts() && initial.parts.size() != head.part_names.size()) {
        return fail(ErrorCode::usage, "the initial state has " +
                                          std::to_string(initial.parts.size()) +
                                          " part hashes, the head names " +
                                          std::to_string(head.part_names.size()) + " parts");
    }
    const Bytes body = encode_body(head, initial);
    if (body.size() > kLongestHead - kHeadPrefixSize) {
        return fail(ErrorCode::limit, "config, part names and notes take more than 1 MiB");
    }
    Bytes block;
    put_bytes(block, std::as_bytes(std::span(kMagic)));
    put(block, kFormatVersion);
    put(block, kFormatVersion);
    put(block, static_cast<std::uint32_t>(body.size()));
    put(block, std::uint32_t{0});
    put_bytes(block, body);
    store(block.data() + kChecksumAt, head_checksum(block));
    return block;
}

Result<std::uint32_t> head_size(std::span<const std::byte> prefix) {
    ByteReader in(prefix);
    const auto magic = in.take(kMagic.size());
    if (!in.ok() ||
        !std::equal(magic.begin(), magic.end(), std::as_bytes(std::span(kMagic)).begin())) {
        return fail(ErrorCode::damaged, "not an isotick recording");
    }
    const auto version = in.get<std::uint16_t>();
    const auto smallest_reader = in.get<std::uint16_t>();
    if (in.ok() && smallest_reader > kFormatVersion) {
        return fail(ErrorCode::version, "written in format version " + std::to_string(version) +
                                            ", which needs an isotick that reads version " +
                                            std::to_string(smallest_reader) +
                                            " (this one reads version 1)");
    }
    const auto length = in.get<std::uint32_t>();
    if (prefix.size() < kHeadPrefixSize) {
        return bad_head("the file ends within it");
    }
    if (length > kLongestHead - kHeadPrefixSize) {
        return bad_head("it claims to be longer than 1 MiB");
    }
    return static_cast<std::uint32_t>(kHeadPrefixSize) + length;
}

Result<DecodedHead> decode_head(std::span<const std::byte> bytes) {
    ISOTICK_TRY_ASSIGN(const auto size, head_size(bytes));
    if (size != bytes.size()) {
        return bad_head("the file ends within it");
    }
    if (ByteReader(bytes.subspan(kChecksumAt)).get<std::uint32_t>() != head_checksum(bytes)) {
        return bad_head("its checksum is wrong");
    }
    DecodedHead decoded;
    decoded.size = size;
    ByteReader body(bytes.subspan(kHeadPrefixSize));
    const std::uint32_t chunk_length = read_body(body, decoded);
    // A later version that this one can read may add fields at the end.
    const bool newer = ByteReader(bytes.subspan(kMagic.size())).get<std::uint16_t>() > 1;
    if (!body.ok() || !(newer || body.at_end())) {
        return bad_head("its fields do not fit its length");
    }
    if (auto checked = check(decoded.head); !checked) {
        return bad_head(checked.error().message);
    }
    if (chunk_length != chunk_ticks(decoded.head.session.rate)) {
        return bad_head("its chunk length does not belong to its tick rate");
    }
    return decoded;
}

}  // namespace isotick::replay
