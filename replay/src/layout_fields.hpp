#pragma once
// The fields of heads and chunks, one by one (FORMAT.md).

#include "chunk_header.hpp"

#include <isotick/replay/layout.hpp>
#include <isotick/replay/tick_hashes.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isotick::replay {

/// The fields of a head block, as far as its bytes go, right or wrong.
void head_fields(std::span<const std::byte> bytes, std::vector<LayoutField>& fields);

/// `tick chunk`: what a chunk of this type and version is called.
[[nodiscard]] std::string type_name(const ChunkHeader& header);

/// The fields of an intact chunk header, encoded as `bytes`, at `offset`.
void header_fields(std::span<const std::byte> bytes, std::uint64_t offset,
                   std::vector<LayoutField>& fields);

/// The fields of an intact chunk's payload at `offset`, and what it holds in one line.
[[nodiscard]] std::string payload_fields(const ChunkHeader& header,
                                         std::span<const std::byte> payload, std::uint64_t offset,
                                         const HashStride& stride,
                                         std::vector<LayoutField>& fields);

}  // namespace isotick::replay
