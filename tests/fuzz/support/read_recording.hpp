#pragma once
// What reading a recording gives, in a form that two readers can be held against each other by.

#include "fuzz_target.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include <format/bytes.hpp>

namespace isotick::fuzz {

/// All that a chunk says, its inputs, dts and hashes as a digest.
struct ChunkContent {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    bool last = false;
    std::uint64_t own_dts = 0;
    std::uint64_t stored_hashes = 0;
    core::Digest content;
    core::Digest session_digest;
    core::Digest hash_digest;
    friend bool operator==(const ChunkContent&, const ChunkContent&) = default;
};

[[nodiscard]] ChunkContent content_of(const replay::TickChunk& chunk);

/// What Reader::next came to.
struct ReadThrough {
    std::vector<ChunkContent> chunks;
    std::optional<core::ErrorCode> error;
    [[nodiscard]] std::uint64_t ticks() const {
        return chunks.empty() ? 0 : chunks.back().end - chunks.front().first;
    }
};

[[nodiscard]] ReadThrough read_through(replay::Reader& reader);

/// Whether every input of a chunk of such a recording can be looked at in no time.
[[nodiscard]] bool is_small(const replay::RecordingHead& head);

void write_file(const std::filesystem::path& path, Input bytes);
[[nodiscard]] replay::Bytes read_file(const std::filesystem::path& path);

}  // namespace isotick::fuzz
