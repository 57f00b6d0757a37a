#pragma once
// Bytes in memory: names, checksums, limits on what is decoded, reads that cannot fail silently.

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>

namespace isotick::replay {

// Bytes in memory, by the names that this module calls them.

using core::ByteReader;
using core::Bytes;
using core::put;
using core::put_bytes;
using core::put_string;
using core::put_varint;
using core::store;

/// Makes `bytes` so many, whatever they are then; takes no more memory than that.
inline void set_size(Bytes& bytes, std::size_t size) {
    if (bytes.capacity() < size) {
        Bytes().swap(bytes);
    }
    bytes.resize(size);
}

// The 32-bit checksum of heads, headers and payloads.

/// The low half of XXH3-64.
[[nodiscard]] inline std::uint32_t checksum(std::span<const std::byte> bytes) {
    return static_cast<std::uint32_t>(core::hash_bytes(bytes));
}

// What keeps exceptions inside the library: memory that runs out, above all.

/// The exception being handled as an Error. A lack of memory is the machine's: `io`, in words that
/// need none.
[[nodiscard]] inline core::Error thrown_error() noexcept {
    const auto error = [](const char* why) {
        return core::Error{core::ErrorCode::limit, why, {}, {}, {}};
    };
    try {
        throw;
    } catch (const std::bad_alloc&) {
    } catch (const std::exception& thrown) {
        try {
            return error(thrown.what());
        } catch (...) {  // memory has run out now
        }
    } catch (...) {
        return error("unknown failure");
    }
    return {core::ErrorCode::io, "out of memory", {}, {}, {}};
}

/// Runs `call`, which returns a Result; what it throws becomes the Error.
template <class Call>
[[nodiscard]] auto guarded(const Call& call) -> decltype(call()) {
    try {
        return call();
    } catch (...) {
        return tl::unexpected(thrown_error());
    }
}

// How much a stored block may stand for (FORMAT.md, "Limits"): reading takes memory and time in
// proportion to the file, whatever the file says.

/// A block as it is decoded.
struct StoredBlock {
    std::span<const std::byte> raw;
    std::uint64_t bytes = raw.size();  ///< that it takes in the file, where it may be compressed
};

/// What a change of an input counts besides its bytes, and a run of ticks with the same dt. About
/// the memory that it takes.
inline constexpr std::uint64_t kChangeSize = 16;
inline constexpr std::uint64_t kDtRunSize = 64;

/// The most that a block of `stored` bytes may decode to: what it holds, counted as above, and the
/// raw block where it is compressed. Blocks that are stored raw, with no byte of an input spared,
/// always keep within it.
[[nodiscard]] constexpr std::uint64_t most_decoded(std::uint64_t stored) {
    return std::min((std::uint64_t{1} << 14) + 256 * stored, (std::uint64_t{1} << 23) + stored);
}

/// The most bytes that a compressed block may have raw.
inline constexpr std::uint64_t kLongestContent = std::uint64_t{1} << 22;

/// True if a block of `raw` bytes, which decodes to `decoded`, may be stored compressed to
/// `stored` bytes.
[[nodiscard]] constexpr bool may_be_compressed(std::uint64_t stored, std::uint64_t raw,
                                               std::uint64_t decoded) {
    return stored < raw && raw <= kLongestContent && std::max(raw, decoded) <= most_decoded(stored);
}

}  // namespace isotick::replay
