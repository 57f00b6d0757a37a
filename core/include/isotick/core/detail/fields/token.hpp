#pragma once
// The bytes of a field stream (core/FIELDS.md).

#include <cstdint>
#include <string>
#include <type_traits>

namespace isotick::core {

/// The version of field streams, which is their first byte.
inline constexpr std::uint8_t kFieldsVersion = 1;

/// How many names a field stream may define; further ones are spelled out.
inline constexpr std::uint32_t kMostFieldNames = 65536;

/// What comes next in a field stream.
enum class FieldToken : std::uint8_t {
    end = 0x00,
    new_name = 0x01,   ///< text: the next value's name, which gets the next number from 0 on
    name = 0x02,       ///< varint: the next value's name by its number
    long_name = 0x03,  ///< text: the next value's name, which gets no number

    object = 0x10,  ///< values up to `close`
    close = 0x11,
    sequence = 0x12,     ///< varint n, n values
    map = 0x13,          ///< varint n, n times a key and a value
    entities = 0x14,     ///< text: what the key is called; then as map
    none = 0x15,         ///< a pointer or optional without a value
    alternative = 0x16,  ///< varint: which one of a variant; its value
    shared = 0x17,       ///< a shared object at its first sight; its value
    reference = 0x18,    ///< varint: the k-th shared object, counted from 1
    text = 0x19,         ///< varint n, n bytes of UTF-8
    bytes = 0x1a,        ///< varint n, n bytes
    named = 0x1b,        ///< text: what the following number is called
    array = 0x1c,        ///< number token, varint n, n numbers
    fixed = 0x1d,        ///< one byte: its bits behind the point; an integer's token; the integer

    u8 = 0x20,
    u16 = 0x21,
    u32 = 0x22,
    u64 = 0x23,
    i8 = 0x24,
    i16 = 0x25,
    i32 = 0x26,
    i64 = 0x27,
    f32 = 0x28,
    f64 = 0x29,
    boolean = 0x2a,  ///< one byte, 0 or 1
};

/// The number tokens' sizes in bytes; 0 for other tokens.
[[nodiscard]] constexpr std::uint32_t number_size(FieldToken token) {
    switch (token) {
        case FieldToken::u8:
        case FieldToken::i8:
        case FieldToken::boolean:
            return 1;
        case FieldToken::u16:
        case FieldToken::i16:
            return 2;
        case FieldToken::u32:
        case FieldToken::i32:
        case FieldToken::f32:
            return 4;
        case FieldToken::u64:
        case FieldToken::i64:
        case FieldToken::f64:
            return 8;
        default:
            return 0;
    }
}

namespace detail {

// The type as which a number of type T is written: the same on all machines.
template <class T>
struct PortableNumber {
    using type = T;
};
template <>
struct PortableNumber<long> {
    using type = std::int64_t;
};
template <>
struct PortableNumber<unsigned long> {
    using type = std::uint64_t;
};
template <>
struct PortableNumber<wchar_t> {
    using type = std::uint32_t;
};

}  // namespace detail

/// The token of a number of type T.
template <class T>
[[nodiscard]] constexpr FieldToken number_token() {
    using Number = typename detail::PortableNumber<std::remove_cv_t<T>>::type;
    static_assert(!std::is_same_v<Number, long double>, "long double has no portable bits");
    if constexpr (std::is_same_v<Number, bool>) {
        return FieldToken::boolean;
    } else if constexpr (std::is_floating_point_v<Number>) {
        return sizeof(Number) == 4 ? FieldToken::f32 : FieldToken::f64;
    } else {
        constexpr unsigned kLog = sizeof(Number) == 1   ? 0
                                  : sizeof(Number) == 2 ? 1
                                  : sizeof(Number) == 4 ? 2
                                                        : 3;
        constexpr unsigned kFirst = std::is_signed_v<Number> ? 0x24 : 0x20;
        return static_cast<FieldToken>(kFirst + kLog);
    }
}

/// Whether numbers of type `token` are integers, which fixed-point numbers are made of.
[[nodiscard]] constexpr bool is_integer(FieldToken token) {
    return token >= FieldToken::u8 && token <= FieldToken::i64;
}

/// `f32`, `u8`, `bool` …; empty for tokens that are not numbers.
[[nodiscard]] const char* number_name(FieldToken token);

/// `i32/2^16`: a fixed-point number with 16 bits behind the point, in an i32.
[[nodiscard]] std::string fixed_name(FieldToken token, unsigned fraction_bits);

}  // namespace isotick::core
