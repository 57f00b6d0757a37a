#pragma once
// How the hash archive adds numbers and enums. Included by hash_archive.hpp.

#include <isotick/core/detail/hashing/contiguous.hpp>
#include <isotick/core/hash_archive.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace isotick::core {
template <class T>
void HashArchive::put_number(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        std::underlying_type_t<T> number;
        std::memcpy(&number, &value, sizeof number);
        put_number(number);
    } else if constexpr (!detail::is_portable_number<T>()) {
        using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        put_number(static_cast<Wide>(value));  // a long of 32 bits
    } else {
        if constexpr (std::is_floating_point_v<T>) {
            if (floats_ != Floats::bits) [[unlikely]] {
                put_careful_float(value);
                return;
            }
        }
        if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
            sink_.put(&value, sizeof value);
        } else {
            std::byte bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            for (std::size_t i = sizeof value; i-- > 0;) {
                sink_.put(&bytes[i], 1);
            }
        }
    }
}

template <class T>
void HashArchive::put_careful_float(const T& value) {
    using Number = detail::Bits<sizeof(T)>;
    Number bits = detail::bits_of(value);
    saw_floats_ = true;
    if (floats_ != Floats::noted && detail::is_nan_bits<T>(bits)) {
        if (floats_ == Floats::watched && !nan_at_) {
            nan_at_ = path_.text();
        }
        constexpr int kFraction = std::numeric_limits<T>::digits - 1;
        bits = ((Number{1} << (8 * sizeof(T) - 1 - kFraction)) - 1) << kFraction |
               Number{1} << (kFraction - 1);
    }
    put_number(bits);
}

}  // namespace isotick::core
