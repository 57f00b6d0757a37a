#pragma once
// Bytes on their way into an isotick_sink: short pieces are collected, long ones passed through.

#include <isotick/core/plugin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace isotick::core {

/// Writes little-endian values into a sink. Every call may throw std::runtime_error: the sink wants
/// no more. What is written reaches the sink with flush() at the latest; the destructor does not
/// flush. The sink's context must outlive the writer. Not thread-safe.
class ByteWriter {
  public:
    explicit ByteWriter(isotick_sink sink) : sink_(sink) {}

    /// `data` may be null when `size` is 0.
    void put(const void* data, std::size_t size) {
        if (size == 0) {
            return;
        }
        if (size > staging_.size() - used_) {
            put_slowly(data, size);
            return;
        }
        std::memcpy(staging_.data() + used_, data, size);
        used_ += size;
    }

    void put_byte(std::uint8_t byte) {
        if (used_ == staging_.size()) {
            flush();
        }
        staging_[used_++] = static_cast<std::byte>(byte);
    }

    /// Room for `size` bytes (at most 16) to be written to, in the order of the calls.
    [[nodiscard]] std::byte* claim(std::size_t size) {
        if (size > staging_.size() - used_) {
            flush();
        }
        std::byte* const room = staging_.data() + used_;
        used_ += size;
        return room;
    }

    /// LEB128: seven bits a byte, the lowest first, the high bit set on all but the last.
    void put_varint(std::uint64_t value) {
        while (value >= 0x80) {
            put_byte(static_cast<std::uint8_t>(value | 0x80));
            value >>= 7U;
        }
        put_byte(static_cast<std::uint8_t>(value));
    }

    /// One number of any arithmetic type, in as many bytes as it has in memory.
    template <class T>
    void put_number(T value) {
        if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
            put(&value, sizeof value);
        } else {
            std::array<unsigned char, sizeof value> bytes;
            std::memcpy(bytes.data(), &value, sizeof value);
            for (std::size_t i = sizeof value; i-- > 0;) {
                put_byte(bytes[i]);
            }
        }
    }

    /// `count` consecutive numbers, in one piece where memory is little-endian.
    template <class T>
    void put_numbers(const T* values, std::size_t count) {
        if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
            put(values, count * sizeof(T));
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                put_number(values[i]);
            }
        }
    }

    /// Hands everything written so far to the sink.
    void flush();

    /// How many bytes were written.
    [[nodiscard]] std::uint64_t written() const { return passed_on_ + used_; }

  private:
    void put_slowly(const void* data, std::size_t size);
    void pass_on(const void* data, std::size_t size);

    isotick_sink sink_;
    std::array<std::byte, 4096> staging_;
    std::size_t used_ = 0;
    std::uint64_t passed_on_ = 0;
};

}  // namespace isotick::core
