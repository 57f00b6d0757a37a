#include "tick_codec.hpp"

#include "dt_column.hpp"

#include <algorithm>

namespace isotick::replay {
namespace {

using core::ErrorCode;
using core::fail;

// Shorter blocks never gain from zstd.
constexpr std::size_t kShortestCompressed = 24;

}  // namespace

void put_digest(Bytes& out, const core::Digest& digest) {
    put(out, digest.low);
    put(out, digest.high);
}

core::Digest read_digest(ByteReader& in) {
    const auto low = in.get<std::uint64_t>();
    const auto high = in.get<std::uint64_t>();
    return {low, high};
}

// What of a TickChunk the decoder sees.
struct ChunkAccess {
    static void start(TickChunk& chunk, const ChunkHeader& header, std::uint32_t players,
                      std::uint32_t part_count) {
        chunk.stored_.first = header.first;
        chunk.stored_.ticks = header.ticks();
        chunk.players_ = players;
        chunk.part_count_ = part_count;
        chunk.last_ = false;
        chunk.row_tick_ = TickChunk::kNone;
    }

    static StoredTicks& stored(TickChunk& chunk) { return chunk.stored_; }

    static void index_changes(TickChunk& chunk) {
        const std::vector<InputChange>& changes = chunk.stored_.inputs.changes;
        chunk.change_from_.resize(chunk.ticks() + 1);
        std::uint32_t next = 0;
        for (std::uint32_t tick = 0; tick < chunk.ticks(); ++tick) {
            chunk.change_from_[tick] = next;
            while (next < changes.size() && changes[next].tick == tick) {
                ++next;
            }
        }
        chunk.change_from_[chunk.ticks()] = next;
    }

    static void read_hashes(ByteReader& in, const HashStride& stride, TickChunk& chunk) {
        chunk.state_row_.assign(chunk.ticks(), TickChunk::kNone);
        chunk.parts_row_.assign(chunk.ticks(), TickChunk::kNone);
        std::uint32_t states = 0;
        std::uint32_t part_rows = 0;
        for (std::uint32_t i = 0; i < chunk.ticks(); ++i) {
            const core::Tick tick{chunk.stored_.first + i};
            if (stride.hash_due(tick)) {
                chunk.state_row_[i] = states++;
            }
            if (stride.parts_due(tick)) {
                chunk.parts_row_[i] = stride.part_count * part_rows++;
            }
        }
        ByteReader state_bytes(in.take(std::uint64_t{8} * states));
        ByteReader part_bytes(in.take(std::uint64_t{8} * part_rows * stride.part_count));
        chunk.stored_.states.clear();
        chunk.stored_.states.reserve(state_bytes.remaining() / sizeof(core::StateHash));
        while (state_bytes.remaining() != 0) {
            chunk.stored_.states.push_back({state_bytes.get<std::uint64_t>()});
        }
        chunk.stored_.parts.clear();
        chunk.stored_.parts.reserve(part_bytes.remaining() / sizeof(core::PartHash));
        while (part_bytes.remaining() != 0) {
            chunk.stored_.parts.push_back({part_bytes.get<std::uint64_t>()});
        }
    }

    static void read_digests(ByteReader& in, TickChunk& chunk) {
        chunk.session_digest_ = read_digest(in);
        chunk.hash_digest_ = read_digest(in);
    }

    static void merge(const FinalHashes& final, TickChunk& chunk) {
        chunk.last_ = true;
        if (final.state) {
            chunk.state_row_.back() = static_cast<std::uint32_t>(chunk.stored_.states.size());
            chunk.stored_.states.push_back(*final.state);
        }
        if (!final.parts.empty()) {
            chunk.parts_row_.back() = static_cast<std::uint32_t>(chunk.stored_.parts.size());
            chunk.stored_.parts.insert(chunk.stored_.parts.end(), final.parts.begin(),
                                       final.parts.end());
        }
        chunk.hash_digest_ = final.hash_digest;
    }
};

bool TickEncoder::compress(const Bytes& raw, std::uint64_t decoded) {
    if (block_.size() < kShortestCompressed || raw.size() > kLongestContent) {
        return false;
    }
    const auto compressed = compressor_.compress(raw);
    if (compressed.empty() || compressed.size() >= block_.size() ||
        !may_be_compressed(compressed.size(), raw.size(), decoded)) {
        return false;
    }
    block_.assign(compressed.begin(), compressed.end());
    return true;
}

void TickEncoder::encode_inputs_as(PlaneChoice choice, const StoredTicks& ticks, Bytes& out) const {
    out.clear();
    encode_columns(ticks.inputs, ticks.ticks, columns_, choice, out);
}

bool TickEncoder::encode_inputs(const StoredTicks& ticks) {
    const std::uint64_t decoded = decoded_size(ticks.inputs);
    encode_inputs_as(PlaneChoice::smallest, ticks, block_);
    if (block_.size() >= kShortestCompressed) {
        encode_inputs_as(PlaneChoice::dense, ticks, raw_);
        if (compress(raw_, decoded)) {
            return true;
        }
    }
    if (decoded > most_decoded(block_.size())) {
        encode_inputs_as(PlaneChoice::full, ticks, block_);
    }
    return false;
}

bool TickEncoder::encode_own_dts(const StoredTicks& ticks) {
    raw_.clear();
    encode_dts(ticks.dts, ticks.ticks, constant_, raw_);
    block_ = raw_;
    return compress(raw_, decoded_size(ticks.dts));
}

void TickEncoder::put_block() {
    put_varint(payload_, block_.size());
    put_bytes(payload_, block_);
}

std::span<const std::byte> TickEncoder::encode(const StoredTicks& ticks, const Digests& digests) {
    payload_.assign(1, std::byte{0});
    unsigned flags = encode_inputs(ticks) ? kInputsAreZstd : 0;
    put_block();
    if (!ticks.dts.empty()) {
        flags |= kHasDts | (encode_own_dts(ticks) ? unsigned{kDtsAreZstd} : 0);
        put_block();
    }
    payload_.front() = static_cast<std::byte>(flags);
    for (const core::StateHash state : ticks.states) {
        put(payload_, state.value);
    }
    for (const core::PartHash part : ticks.parts) {
        put(payload_, part.value);
    }
    put_digest(payload_, digests.session);
    put_digest(payload_, digests.hashes);
    return payload_;
}

std::optional<StoredBlock> TickDecoder::read_block(ByteReader& in, bool zstd, std::uint64_t most) {
    const auto block = in.take(in.varint(most));
    if (!in.ok()) {
        return std::nullopt;
    }
    if (!zstd) {
        return StoredBlock{block};
    }
    const auto raw =
        decompressor_.decompress(block, std::min(kLongestContent, most_decoded(block.size())));
    return raw && block.size() < raw->size() ? std::optional(StoredBlock{*raw, block.size()})
                                             : std::nullopt;
}

bool TickDecoder::decode_inputs(ByteReader& in, bool zstd, TickChunk& chunk) {
    const auto block = read_block(in, zstd, kLongestInputBlock);
    if (!block ||
        !decode_columns(*block, chunk.ticks(), players_ + 1, ChunkAccess::stored(chunk).inputs)) {
        return false;
    }
    ChunkAccess::index_changes(chunk);
    return true;
}

bool TickDecoder::decode_own_dts(ByteReader& in, std::uint8_t flags, TickChunk& chunk) {
    DtChanges& dts = ChunkAccess::stored(chunk).dts;
    dts.clear();
    if ((flags & kHasDts) == 0) {
        return (flags & kDtsAreZstd) == 0;
    }
    const auto block = read_block(in, (flags & kDtsAreZstd) != 0, kLongestDtBlock);
    return block && decode_dts(*block, chunk.ticks(), constant_, dts);
}

core::Result<void> TickDecoder::decode(const ChunkHeader& header,
                                       std::span<const std::byte> payload, TickChunk& chunk) {
    ByteReader in(payload);
    const auto flags = in.get<std::uint8_t>();
    if ((flags & ~(kInputsAreZstd | kHasDts | kDtsAreZstd)) != 0) {
        return fail(ErrorCode::version, "these ticks need a newer isotick");
    }
    ChunkAccess::start(chunk, header, players_, stride_.part_count);
    if (!decode_inputs(in, (flags & kInputsAreZstd) != 0, chunk)) {
        return fail(ErrorCode::damaged, "the inputs of a chunk are malformed");
    }
    if (!decode_own_dts(in, flags, chunk)) {
        return fail(ErrorCode::damaged, "the dts of a chunk are malformed");
    }
    ChunkAccess::read_hashes(in, stride_, chunk);
    ChunkAccess::read_digests(in, chunk);
    if (!in.at_end()) {
        return fail(ErrorCode::damaged, "the hashes of a chunk do not fit its length");
    }
    return {};
}

Bytes encode_final(const FinalHashes& final) {
    Bytes payload;
    if (final.state) {
        put(payload, final.state->value);
    }
    for (const core::PartHash part : final.parts) {
        put(payload, part.value);
    }
    put_digest(payload, final.session_digest);
    put_digest(payload, final.hash_digest);
    return payload;
}

std::optional<FinalHashes> decode_final(const ChunkHeader& header,
                                        std::span<const std::byte> payload,
                                        const HashStride& stride) {
    ByteReader in(payload);
    FinalHashes final;
    final.ticks = header.first;
    if (final.ticks != 0) {
        const core::Tick last{final.ticks - 1};
        if (!stride.hash_due(last)) {
            final.state = core::StateHash{in.get<std::uint64_t>()};
        }
        const bool has_parts = stride.has_parts() && !stride.parts_due(last);
        for (std::uint32_t i = 0; has_parts && i < stride.part_count; ++i) {
            final.parts.push_back({in.get<std::uint64_t>()});
        }
    }
    final.session_digest = read_digest(in);
    final.hash_digest = read_digest(in);
    if (!in.at_end()) {
        return std::nullopt;
    }
    return final;
}

void merge_final(const FinalHashes& final, TickChunk& chunk) {
    ChunkAccess::merge(final, chunk);
}

}  // namespace isotick::replay
