#include <isotick/core/hash.hpp>

#include <array>
#include <bit>
#include <cassert>
#include <vector>

#if defined(ISOTICK_XXH_INLINE)
#define XXH_INLINE_ALL
#endif

#define XXH_STATIC_LINKING_ONLY  // the states' sizes, so that they can be members
#include <xxhash.h>
#if defined(ISOTICK_XXH_DISPATCH)
// Replaces XXH3_… by entry points that choose the widest vector unit of this processor.
#include <immintrin.h>
#include <xxh_x86dispatch.h>
#endif

namespace isotick::core {
namespace {

std::array<std::byte, 8> little_endian(std::uint64_t value) {
    std::array<std::byte, 8> bytes{};
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(value & 0xff);
        value >>= 8;
    }
    return bytes;
}

// xxHash reports an error only for a null state or null data with a length.
void require_success([[maybe_unused]] XXH_errorcode code) {
    assert(code == XXH_OK);
}

#if defined(ISOTICK_XXH_DISPATCH)
__attribute__((target("avx"))) void clear_upper_halves() {
    _mm256_zeroupper();
}
#endif

// Where xxHash hashes in one call with AVX, it leaves the upper halves of the vector registers in
// use. Until they are cleared, all SSE code runs up to four times slower, the simulation's too.
// xxHash's streams clear them.
void leave_no_wide_vectors() {
#if defined(ISOTICK_XXH_DISPATCH)
    static const bool has_avx = __builtin_cpu_supports("avx") != 0;
    if (has_avx) {
        clear_upper_halves();
    }
#endif
}

}  // namespace

std::string to_hex(std::uint64_t value) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; value >>= 4) {
        text[i] = kDigits[value & 0xf];
    }
    return text;
}

std::string to_string(const Digest& digest) {
    return to_hex(digest.high) + to_hex(digest.low);
}

std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
    const std::uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
    constexpr std::size_t kLongestWithoutVectors = 240;
    if (bytes.size() > kLongestWithoutVectors) {
        leave_no_wide_vectors();
    }
    return hash;
}

StateHash hash_parts(std::span<const PartHash> parts) {
    static_assert(sizeof(PartHash) == 8);
    if constexpr (std::endian::native == std::endian::little) {
        return {hash_bytes(std::as_bytes(parts))};
    }
    std::vector<std::byte> bytes;
    bytes.reserve(8 * parts.size());
    for (const PartHash part : parts) {
        const auto value = little_endian(part.value);
        bytes.insert(bytes.end(), value.begin(), value.end());
    }
    return {hash_bytes(bytes)};
}

struct StreamHasher::State {
    XXH3_state_t xxh;
};

StreamHasher::StreamHasher() : state_(std::make_unique<State>()) {
    reset();
}
StreamHasher::~StreamHasher() = default;
StreamHasher::StreamHasher(StreamHasher&&) noexcept = default;
StreamHasher& StreamHasher::operator=(StreamHasher&&) noexcept = default;

void StreamHasher::reset() {
    require_success(XXH3_64bits_reset(&state_->xxh));
}

void StreamHasher::update(std::span<const std::byte> bytes) {
    require_success(XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size()));
}

std::uint64_t StreamHasher::value() const {
    return XXH3_64bits_digest(&state_->xxh);
}

struct StreamDigester::State {
    XXH3_state_t xxh;
};

StreamDigester::StreamDigester() : state_(std::make_unique<State>()) {
    require_success(XXH3_128bits_reset(&state_->xxh));
}
StreamDigester::~StreamDigester() = default;
StreamDigester::StreamDigester(StreamDigester&&) noexcept = default;
StreamDigester& StreamDigester::operator=(StreamDigester&&) noexcept = default;

void StreamDigester::update(std::span<const std::byte> bytes) {
    require_success(XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size()));
}

void StreamDigester::update(std::uint64_t value) {
    update(little_endian(value));
}

Digest StreamDigester::value() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
    return {hash.low64, hash.high64};
}

}  // namespace isotick::core
