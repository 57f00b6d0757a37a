#pragma once
// Little-endian numbers, varints and strings in memory. The reading side never reads past its
// span: it fails once and for all instead.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::core {

using Bytes = std::vector<std::byte>;

inline void put_bytes(Bytes& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Writes `value` to `to` as sizeof(T) little-endian bytes.
template <class T>
void store(std::byte* to, T value) {
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(to, &value, sizeof(T));
        return;
    }
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        to[i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i));
    }
}

/// Appends `value` as sizeof(T) little-endian bytes.
template <class T>
void put(Bytes& out, T value) {
    const std::size_t at = out.size();
    out.resize(at + sizeof(T));
    store(out.data() + at, value);
}

/// Appends `value` seven bits a byte, lowest first, the high bit set on all bytes but the last.
inline void put_varint(Bytes& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::byte>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::byte>(value));
}

/// A few bytes on their way into others, without memory of their own: at most `Most`.
template <std::size_t Most>
class FewBytes {
  public:
    template <class T>
    void put(T value) {
        store(bytes_.data() + size_, value);
        size_ += sizeof(T);
    }
    void put_varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes_[size_++] = static_cast<std::byte>(value | 0x80);
        }
        bytes_[size_++] = static_cast<std::byte>(value);
    }
    [[nodiscard]] std::span<const std::byte> bytes() const {
        return std::span(bytes_).first(size_);
    }

  private:
    std::array<std::byte, Most> bytes_;
    std::size_t size_ = 0;
};

/// Appends the length as u32, then the bytes.
inline void put_string(Bytes& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    put_bytes(out, std::as_bytes(std::span(text)));
}

/// Reads from a span front to back. After the first failure everything reads as zero or empty and
/// ok() is false.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }
    [[nodiscard]] std::size_t remaining() const { return rest_.size(); }
    void fail() {
        ok_ = false;
        rest_ = {};
    }

    /// The next `size` bytes, in place.
    [[nodiscard]] std::span<const std::byte> take(std::uint64_t size) {
        if (size > rest_.size()) {
            fail();
            return {};
        }
        const auto taken = rest_.first(static_cast<std::size_t>(size));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    template <class T>
    [[nodiscard]] T get() {
        const auto bytes = take(sizeof(T));
        if constexpr (std::endian::native == std::endian::little) {
            T value{};
            if (!bytes.empty()) {
                std::memcpy(&value, bytes.data(), sizeof(T));
            }
            return value;
        }
        std::uint64_t value = 0;
        std::size_t shift = 0;
        for (const std::byte byte : bytes) {
            value |= std::to_integer<std::uint64_t>(byte) << shift;
            shift += 8;
        }
        return static_cast<T>(value);
    }

    /// A varint of at most `most`; anything larger, or longer than it need be, fails.
    [[nodiscard]] std::uint64_t varint(std::uint64_t most = UINT64_MAX) {
        if (!rest_.empty() && rest_[0] < std::byte{0x80} &&
            std::to_integer<std::uint64_t>(rest_[0]) <= most) {
            const auto value = std::to_integer<std::uint64_t>(rest_[0]);
            rest_ = rest_.subspan(1);
            return value;
        }
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = get<std::uint8_t>();
            const std::uint64_t bits = byte & 0x7fU;
            const bool overflows = shift == 63 && bits > 1;
            const bool padded = shift > 0 && byte == 0;
            value |= bits << shift;
            if (overflows || padded) {
                break;
            }
            if (byte < 0x80) {
                if (value > most) {
                    break;
                }
                return value;
            }
        }
        fail();
        return 0;
    }

    [[nodiscard]] std::string string() {
        const auto bytes = take(get<std::uint32_t>());
        std::string text(bytes.size(), '\0');
        if (!bytes.empty()) {
            std::memcpy(text.data(), bytes.data(), bytes.size());
        }
        return text;
    }

  private:
    std::span<const std::byte> rest_;
    bool ok_ = true;
};

}  // namespace isotick::core
