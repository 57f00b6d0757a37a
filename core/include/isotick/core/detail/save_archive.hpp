#pragma once
// A cereal archive that saves snapshots.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/contiguous.hpp>
#include <isotick/core/plugin.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

// Bytes on their way into an isotick_sink: short pieces are collected, long ones passed through.

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

// A cereal output archive for snapshots: all values in the order in which serialize visits them,
// little-endian, sizes of containers as 64-bit numbers. snapshot.hpp puts a header before it.

namespace isotick::core {

class LoadArchive;

/// Writes one state. Every element of a container takes at least one byte (a filler, where it
/// would take none), so that a reader can hold sizes against the bytes that are there. Calls may
/// throw: the sink is full, the nesting too deep, the state's own exceptions.
class SaveArchive : public cereal::OutputArchive<SaveArchive, cereal::AllowEmptyClassElision> {
  public:
    /// `writer` must outlive the archive.
    explicit SaveArchive(ByteWriter& writer) : OutputArchive(this), writer_(writer) {}

    [[nodiscard]] ByteWriter& writer() { return writer_; }
    [[nodiscard]] ArchivePath& path() { return path_; }

    void enter() { path_.enter(writer_.written()); }
    void leave() {
        const std::uint64_t start = path_.leave();
        if (path_.in_elements() && writer_.written() == start) {
            writer_.put_byte(0);
        }
    }

  private:
    ByteWriter& writer_;
    ArchivePath path_;
};

namespace detail {

// Vectors that are copied in one piece: their memory is what would be written value by value.
template <class T>
inline constexpr bool is_one_piece_v =
    is_contiguous_v<T> && !std::is_arithmetic_v<T> && std::endian::native == std::endian::little;

}  // namespace detail

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class T>
void prologue(SaveArchive& archive, const T&) {
    static_assert(cereal::traits::is_output_serializable<T, SaveArchive>::value ||
                      std::is_empty_v<T> ||
                      std::is_base_of_v<cereal::traits::detail::BaseCastBase, T>,
                  "isotick: a state with this type cannot be saved: include cereal's header for it "
                  "(<cereal/types/….hpp>), or write a serialize function");
    if constexpr (detail::is_level_v<T>) {
        archive.enter();
    }
}

template <class T>
void epilogue(SaveArchive& archive, const T&) {
    if constexpr (detail::is_level_v<T>) {
        archive.leave();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(SaveArchive& archive, const T& value) {
    static_assert(!std::is_same_v<T, long double>, "long double cannot be saved portably");
    archive.writer().put_number(value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(SaveArchive& archive, cereal::NameValuePair<T>& pair) {
    archive_named(archive, archive.path(), pair);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(SaveArchive& archive, cereal::SizeTag<T>& tag) {
    archive.writer().put_number(static_cast<std::uint64_t>(tag.size));
    archive.path().begin_elements();
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(SaveArchive& archive, const cereal::BinaryData<T>& data) {
    using Value =
        std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>>;
    static_assert(std::is_arithmetic_v<Value>, "binary_data must be of numbers to be saved");
    archive.writer().put_numbers(static_cast<const Value*>(data.data),
                                 static_cast<std::size_t>(data.size) / sizeof(Value));
}

template <class T, class Allocator>
requires(detail::is_one_piece_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    SaveArchive& archive, const std::vector<T, Allocator>& values) {
    archive.writer().put_number(static_cast<std::uint64_t>(values.size()));
    archive.writer().put(values.data(), values.size() * sizeof(T));
}

}  // namespace isotick::core

CEREAL_REGISTER_ARCHIVE(isotick::core::SaveArchive)
CEREAL_SETUP_ARCHIVE_TRAITS(isotick::core::LoadArchive, isotick::core::SaveArchive)
