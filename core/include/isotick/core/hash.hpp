#pragma once
// State hashes (DESIGN: algorithm `isotick-xxh3-1`): XXH3-64 of a part's canonical bytes, and
// XXH3-64 of the part hashes, little-endian and in order, for the whole state.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace isotick::core {

/// The name under which hashes of isotick's own algorithm are stored and compared.
inline constexpr std::string_view kHashAlgorithm = "isotick-xxh3-1";

/// How NaNs enter the hash. Recordings carry it; only hashes of the same policy compare.
enum class NanPolicy : std::uint8_t {
    bits,  ///< as they are: sign and payload count, which differ between x86 and Arm
    one,   ///< every NaN as the quiet one, 0x7fc00000 and 0x7ff8000000000000
};
/// `bits` or `one`; lives as long as the program.
[[nodiscard]] constexpr const char* to_string(NanPolicy policy) {
    return policy == NanPolicy::one ? "one" : "bits";
}

/// 64 bits for the whole state after a tick.
struct StateHash {
    std::uint64_t value = 0;
    friend auto operator<=>(const StateHash&, const StateHash&) = default;
};

/// 64 bits for one named part of the state.
struct PartHash {
    std::uint64_t value = 0;
    friend auto operator<=>(const PartHash&, const PartHash&) = default;
};

/// 128 bits over a stream: equal digests stand for equal streams.
struct Digest {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// 16 lower-case hexadecimal digits.
[[nodiscard]] std::string to_hex(std::uint64_t value);
[[nodiscard]] inline std::string to_string(StateHash hash) {
    return to_hex(hash.value);
}
/// 32 lower-case hexadecimal digits, high half first.
[[nodiscard]] std::string to_string(const Digest& digest);

/// XXH3-64 of `bytes`, seed 0.
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes);

/// The state hash of the given part hashes, in order.
[[nodiscard]] StateHash hash_parts(std::span<const PartHash> parts);

/// XXH3-64 over a stream. Not thread-safe; movable.
class StreamHasher {
  public:
    StreamHasher();
    ~StreamHasher();
    StreamHasher(StreamHasher&&) noexcept;
    StreamHasher& operator=(StreamHasher&&) noexcept;

    void reset();
    void update(std::span<const std::byte> bytes);
    /// The hash of everything since the last reset; the stream may go on.
    [[nodiscard]] std::uint64_t value() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// XXH3-128 over a stream. Not thread-safe; movable.
class StreamDigester {
  public:
    StreamDigester();
    ~StreamDigester();
    StreamDigester(StreamDigester&&) noexcept;
    StreamDigester& operator=(StreamDigester&&) noexcept;

    void update(std::span<const std::byte> bytes);
    /// Feeds `value` as eight little-endian bytes.
    void update(std::uint64_t value);
    /// The digest of everything so far; the stream may go on.
    [[nodiscard]] Digest value() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace isotick::core
