#pragma once
// Types whose bytes in memory are their canonical bytes, so that arrays of them can be hashed and
// stored in one piece instead of value by value.

#include <array>
#include <cstddef>
#include <type_traits>

/// Marks a struct as contiguous: trivially copyable, without padding, its `serialize` visiting
/// every byte of it once and in order. At global scope, after the definition and before the first
/// use:
///
///     struct Vec3 {
///         float x, y, z;
///         template <class Archive> void serialize(Archive& archive) { archive(x, y, z); }
///     };
///     ISOTICK_CONTIGUOUS(Vec3);
///
/// A promise that is checked against the type: see check_contiguous in hash_values.hpp.
#define ISOTICK_CONTIGUOUS(...)                                                                  \
    template <>                                                                                  \
    inline constexpr const char* isotick::core::kContiguousMark<__VA_ARGS__> = #__VA_ARGS__;     \
    static_assert(std::is_trivially_copyable_v<__VA_ARGS__>,                                     \
                  "ISOTICK_CONTIGUOUS is for trivially copyable types: leave the mark out, the " \
                  "type is then hashed value by value")

namespace isotick::core {

/// The name under which ISOTICK_CONTIGUOUS marked T; null for other types.
template <class T>
inline constexpr const char* kContiguousMark = nullptr;

namespace detail {

// Numbers whose size is the same everywhere; a `long` of 32 bits is hashed as 64, so its memory is
// not what is hashed.
template <class T>
constexpr bool is_portable_number() {
    using Plain = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<Plain, long> || std::is_same_v<Plain, unsigned long>) {
        return sizeof(T) == 8;
    } else {
        return std::is_arithmetic_v<T> && !std::is_same_v<Plain, long double> &&
               !std::is_same_v<Plain, wchar_t>;
    }
}

template <class T>
struct Contiguous {
    static constexpr bool value() {
        if constexpr (std::is_enum_v<T>) {
            return is_portable_number<std::underlying_type_t<T>>();
        } else if constexpr (std::is_bounded_array_v<T>) {
            return Contiguous<std::remove_cv_t<std::remove_extent_t<T>>>::value();
        } else {
            return is_portable_number<T>() || kContiguousMark<T> != nullptr;
        }
    }
};

template <class T, std::size_t N>
struct Contiguous<std::array<T, N>> {
    static constexpr bool value() {
        return sizeof(std::array<T, N>) == N * sizeof(T) &&
               Contiguous<std::remove_cv_t<T>>::value();
    }
};

}  // namespace detail

/// Numbers, enums, marked structs, and arrays (std:: and plain) of such.
template <class T>
inline constexpr bool is_contiguous_v = detail::Contiguous<std::remove_cv_t<T>>::value();

}  // namespace isotick::core
