#pragma once
// Questions about types that the hash archive asks.

#include <isotick/core/detail/hashing/contiguous.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace isotick::core {

class HashArchive;

namespace detail {

// How a kind of value is put; the primary stands for whatever cereal or the user serializes.
template <class T>
struct HashValue {
    static void put(HashArchive& archive, const T& value);
};

template <class T>
inline constexpr bool kIsStdArray = false;
template <class T, std::size_t N>
inline constexpr bool kIsStdArray<std::array<T, N>> = true;

template <class T>
inline constexpr bool kMemoryIsCanonical = is_contiguous_v<T> &&
                                           (std::endian::native == std::endian::little ||
                                            sizeof(T) == 1);

template <class T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// The unsigned integer of a number's size.
template <std::size_t kSize>
using Bits = std::conditional_t<kSize == 8, std::uint64_t, std::uint32_t>;

// A float's bits without loading it into a register, where x87 would change them.
template <class T>
Bits<sizeof(T)> bits_of(const T& value) {
    Bits<sizeof(T)> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <class T>
bool is_nan_bits(Bits<sizeof(T)> bits) {
    constexpr auto kInfinity = std::bit_cast<Bits<sizeof(T)>>(std::numeric_limits<T>::infinity());
    return (bits & ~(Bits<sizeof(T)>{1} << (8 * sizeof(T) - 1))) > kInfinity;
}

}  // namespace detail
}  // namespace isotick::core
