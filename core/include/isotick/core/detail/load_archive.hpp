#pragma once
// A cereal archive that loads snapshots.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/save_archive.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

// Little-endian values out of bytes that nobody vouches for.

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

// A cereal input archive for snapshots that may be damaged or hostile.

namespace isotick::core {

/// Reads what SaveArchive wrote. Every call may throw an exception derived from std::exception;
/// the state is then partly loaded and fit only to be destroyed or loaded again.
///
/// Containers never grow far beyond what the bytes read so far justify: a size is refused if there
/// are fewer bytes left than elements; vectors, deques and lists grow as their elements arrive; a
/// container of another kind takes at most `sizeof(element)`, plus its nodes', per byte left.
class LoadArchive : public cereal::InputArchive<LoadArchive, cereal::AllowEmptyClassElision> {
  public:
    /// `bytes` must outlive the archive.
    explicit LoadArchive(std::span<const std::byte> bytes) : InputArchive(this), reader_(bytes) {}

    [[nodiscard]] LoadReader& reader() { return reader_; }
    [[nodiscard]] ArchivePath& path() { return path_; }

    void enter() { path_.enter(reader_.offset()); }
    void leave() {
        const std::uint64_t start = path_.leave();
        if (path_.in_elements() && reader_.offset() == start) {
            reader_.skip_filler();
        }
    }

    // cereal's own versions trust the bytes about what type an earlier pointer has.

    /// The next shared pointer to be read points to this type.
    void expect_pointer(std::type_index type) { expected_ = type; }
    /// cereal calls these two by these names.
    void registerSharedPointer(std::uint32_t id, std::shared_ptr<void> pointer) {
        pointers_.insert_or_assign(id & ~cereal::detail::msb_32bit,
                                   Pointer{std::move(pointer), expected_});
    }
    [[nodiscard]] std::shared_ptr<void> getSharedPointer(std::uint32_t id) const;

  private:
    struct Pointer {
        std::shared_ptr<void> object;
        std::type_index type;
    };

    LoadReader reader_;
    ArchivePath path_;
    std::map<std::uint32_t, Pointer> pointers_;
    std::type_index expected_ = typeid(void);
};

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class T>
void prologue(LoadArchive& archive, const T&) {
    if constexpr (detail::is_level_v<T>) {
        archive.enter();
    }
}

template <class T>
void epilogue(LoadArchive& archive, const T&) {
    if constexpr (detail::is_level_v<T>) {
        archive.leave();
    }
}

template <class T>
void prologue(LoadArchive& archive, const cereal::memory_detail::PtrWrapper<std::shared_ptr<T>&>&) {
    archive.expect_pointer(typeid(std::remove_cv_t<T>));
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_LOAD_FUNCTION_NAME(LoadArchive& archive, T& value) {
    value = archive.reader().number<T>();
    archive.path().count();
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(LoadArchive& archive, cereal::NameValuePair<T>& pair) {
    archive_named(archive, archive.path(), pair);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(LoadArchive& archive, cereal::SizeTag<T>& tag) {
    tag.size = static_cast<std::decay_t<T>>(archive.reader().size(1));
    archive.path().begin_elements();
}

template <class T>
void CEREAL_LOAD_FUNCTION_NAME(LoadArchive& archive, cereal::BinaryData<T>& data) {
    using Value = std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>;
    static_assert(std::is_arithmetic_v<Value>, "binary_data must be of numbers to be loaded");
    archive.reader().numbers(static_cast<Value*>(data.data),
                             static_cast<std::size_t>(data.size) / sizeof(Value));
}

namespace detail {

// Whether all bit patterns are values of T: a bool has only two.
template <class T>
[[nodiscard]] bool takes_any_bits();

// Loads elements one by one, making room as they come.
template <class Sequence>
void load_growing(LoadArchive& archive, Sequence& sequence) {
    using T = typename Sequence::value_type;
    const std::size_t size = archive.reader().size(1);
    archive.path().begin_elements();
    const std::size_t step = std::max<std::size_t>(16, 4096 / sizeof(T));
    sequence.resize(std::min(size, step));
    auto place = sequence.begin();
    for (std::size_t i = 0; i < size; ++i, ++place) {
        if (i == sequence.size()) {
            sequence.resize(i + std::min(size - i, i));
            place = std::next(sequence.begin(), static_cast<std::ptrdiff_t>(i));
        }
        archive(*place);
    }
}

}  // namespace detail

template <class T, class Allocator>
requires(!std::is_same_v<T, bool>) void CEREAL_LOAD_FUNCTION_NAME(
    LoadArchive& archive, std::vector<T, Allocator>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
        values.resize(archive.reader().size(sizeof(T)));
        archive.reader().numbers(values.data(), values.size());
    } else if constexpr (detail::is_one_piece_v<T>) {
        if (!detail::takes_any_bits<T>()) {
            detail::load_growing(archive, values);
            return;
        }
        values.resize(archive.reader().size(sizeof(T)));
        archive.reader().copy(values.data(), values.size() * sizeof(T));
    } else {
        detail::load_growing(archive, values);
    }
}

template <class T, class Allocator>
void CEREAL_LOAD_FUNCTION_NAME(LoadArchive& archive, std::deque<T, Allocator>& values) {
    detail::load_growing(archive, values);
}

template <class T, class Allocator>
void CEREAL_LOAD_FUNCTION_NAME(LoadArchive& archive, std::list<T, Allocator>& values) {
    detail::load_growing(archive, values);
}

}  // namespace isotick::core

CEREAL_REGISTER_ARCHIVE(isotick::core::LoadArchive)
namespace isotick::core::detail {

// Which types can be loaded by copying bytes without looking at them.

// Looks for bools among the values that serialize visits.
class BoolFinder : public cereal::OutputArchive<BoolFinder, cereal::AllowEmptyClassElision> {
  public:
    BoolFinder() : OutputArchive(this) {}
    void found() { has_bool_ = true; }
    [[nodiscard]] bool has_bool() const { return has_bool_; }

  private:
    bool has_bool_ = false;
};

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(BoolFinder& finder, const T&) {
    if constexpr (std::is_same_v<T, bool>) {
        finder.found();
    }
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(BoolFinder& finder, cereal::NameValuePair<T>& pair) {
    finder(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(BoolFinder& finder, const cereal::BinaryData<T>&) {
    using Value = std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>;
    if constexpr (std::is_same_v<std::remove_cv_t<Value>, bool>) {
        finder.found();
    }
}

template <class T>
bool takes_any_bits() {
    static const bool any = [] {
        BoolFinder finder;
        const T example{};
        finder(example);
        return !finder.has_bool();
    }();
    return any;
}

}  // namespace isotick::core::detail
