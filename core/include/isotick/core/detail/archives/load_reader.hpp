#pragma once
// Little-endian values out of bytes that nobody vouches for.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace isotick::core {

/// Reads values one after another. Throws std::runtime_error where the bytes do not hold them.
/// The bytes must outlive the reader.
class LoadReader {
  public:
    explicit LoadReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    [[nodiscard]] std::uint64_t offset() const { return offset_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - offset_; }

    /// The next `size` bytes.
    std::span<const std::byte> take(std::size_t size) {
        if (size > left()) {
            throw_short(size);
        }
        const std::span<const std::byte> taken = bytes_.subspan(offset_, size);
        offset_ += size;
        return taken;
    }

    /// Copies the next `size` bytes; `to` may be null when that is 0.
    void copy(void* to, std::size_t size) {
        const std::span<const std::byte> from = take(size);
        if (size != 0) {
            std::memcpy(to, from.data(), size);
        }
    }

    /// A number of any arithmetic type; a bool is a byte 0 or 1.
    template <class T>
    T number() {
        if constexpr (std::is_same_v<T, bool>) {
            return boolean();
        } else {
            T value{};
            copy(&value, sizeof value);
            if constexpr (std::endian::native != std::endian::little) {
                reverse(value);
            }
            return value;
        }
    }

    /// `count` consecutive numbers.
    template <class T>
    void numbers(T* values, std::size_t count) {
        if constexpr (std::is_same_v<T, bool> || std::endian::native != std::endian::little) {
            for (std::size_t i = 0; i < count; ++i) {
                values[i] = number<T>();
            }
        } else {
            copy(values, count * sizeof(T));
        }
    }

    /// A container's size, 64 bits. Refused if the bytes left cannot hold that many elements of
    /// `least` bytes each.
    std::size_t size(std::size_t least);

    /// The zero byte that stands for an element without any.
    void skip_filler();

  private:
    [[noreturn]] void throw_short(std::size_t size) const;
    bool boolean();

    template <class T>
    static void reverse(T& value) {
        std::array<unsigned char, sizeof(T)> bytes;
        std::memcpy(bytes.data(), &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T) / 2; ++i) {
            std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
        }
        std::memcpy(&value, bytes.data(), sizeof(T));
    }

    std::span<const std::byte> bytes_;
    std::size_t offset_ = 0;
};

}  // namespace isotick::core
