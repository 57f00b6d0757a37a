#pragma once
// The format of field streams, and what writes them.

#include <isotick/core/detail/save_archive.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace isotick::core {

// The bytes of a field stream (core/FIELDS.md).

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

// Writes down the shape of a state: which values serialize visits, under which names, as what.

/// The sink of a FieldWalk that is interested in types only. Makes one line per value, such as
/// `units[].velocity.y f32`. Throws std::length_error when they exceed 1 MiB. Not thread-safe.
class ShapeWriter {
  public:
    static constexpr bool kTypesOnly = true;
    static constexpr std::size_t kLongest = std::size_t{1} << 20U;

    void name(const char* name) { name_ = name; }
    void begin_object() { open("", true); }
    void end_object();

    /// A value that stands for others: `suffix` tells what it is to them, such as `[]`.
    void begin_wrapper(std::string_view suffix) { open(suffix, false); }
    void end_wrapper() { close(); }

    /// A value of a type that is not looked into.
    void leaf(std::string_view type);

    template <class T>
    void number(T) {
        leaf(number_name(number_token<T>()));
    }
    template <class T>
    void fixed(unsigned fraction_bits, T) {
        leaf(fixed_name(number_token<T>(), fraction_bits));
    }
    template <class T>
    void numbers(const T*, std::size_t) {
        leaf(std::string(number_name(number_token<T>())) + "[]");
    }
    void bytes(const void*, std::size_t) { leaf("bytes"); }

    /// An example of a type begins; false if it is inside of one already. `tag` is the type's.
    [[nodiscard]] bool begin_example(const void* tag);
    void end_example() { examples_.pop_back(); }

    /// The lines, each with its end of line.
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    struct Frame {
        std::size_t path_size;  // of the path outside
        bool object;            // its values have names or numbers
        std::size_t done;       // values that were begun in it
    };

    void open(std::string_view suffix, bool object);
    void close();
    void step();

    std::string text_;
    std::string path_;
    std::string name_;
    std::vector<Frame> frames_;
    std::vector<const void*> examples_;
};

// Writes a field stream (core/FIELDS.md), value by value.

/// One field stream, from its version byte to its end. The caller keeps to the grammar: counted
/// values really follow, objects are closed. Every call may throw what the writer's sink makes it
/// throw. Not thread-safe.
class FieldWriter {
  public:
    static constexpr bool kTypesOnly = false;

    /// Begins the stream. `writer` must outlive this.
    explicit FieldWriter(ByteWriter& writer) : writer_(writer) { writer_.put_byte(kFieldsVersion); }

    /// Ends the stream and flushes the writer.
    void end() {
        put(FieldToken::end);
        writer_.flush();
    }

    /// The next value's name, not empty. Values of an object need none; others have none.
    void name(const char* name) {
        const Cached& cached = cache_[slot(name)];
        if (cached.pointer != name || std::strcmp(cached.text.c_str(), name) != 0) {
            name_slowly(name);
        } else if (cached.number < 0x80) {
            std::byte* const room = writer_.claim(2);
            room[0] = static_cast<std::byte>(FieldToken::name);
            room[1] = static_cast<std::byte>(cached.number);
        } else {
            put_counted(FieldToken::name, cached.number);
        }
    }

    void begin_object() { put(FieldToken::object); }
    void end_object() { put(FieldToken::close); }
    void begin_sequence(std::uint64_t count) { put_counted(FieldToken::sequence, count); }
    void begin_map(std::uint64_t count) { put_counted(FieldToken::map, count); }
    void begin_entities(std::uint64_t count, std::string_view key) {
        put_text(FieldToken::entities, key);
        writer_.put_varint(count);
    }
    void none() { put(FieldToken::none); }
    void alternative(std::uint64_t index) { put_counted(FieldToken::alternative, index); }
    void shared() { put(FieldToken::shared); }
    void reference(std::uint64_t object) { put_counted(FieldToken::reference, object); }
    void text(std::string_view text) { put_text(FieldToken::text, text); }
    void bytes(const void* data, std::size_t size) {
        put_counted(FieldToken::bytes, size);
        writer_.put(data, size);
    }

    /// What the number that follows is called, such as an enumerator.
    void number_called(std::string_view name) { put_text(FieldToken::named, name); }

    template <class T>
    void number(T value) {
        using Number = typename detail::PortableNumber<T>::type;
        const auto number = static_cast<Number>(value);
        if constexpr (std::endian::native == std::endian::little) {
            std::byte* const room = writer_.claim(1 + sizeof number);
            room[0] = static_cast<std::byte>(number_token<T>());
            std::memcpy(room + 1, &number, sizeof number);
        } else {
            put(number_token<T>());
            writer_.put_number(number);
        }
    }

    /// A fixed-point number: `value` / 2^`fraction_bits`.
    template <class T>
    void fixed(unsigned fraction_bits, T value) {
        put(FieldToken::fixed);
        writer_.put_byte(static_cast<std::uint8_t>(fraction_bits));
        number(value);
    }

    /// `count` numbers in a row, in one piece.
    template <class T>
    void numbers(const T* values, std::size_t count) {
        begin_numbers(number_token<T>(), count);
        if constexpr (sizeof(T) == number_size(number_token<T>())) {
            writer_.put_numbers(values, count);
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                writer_.put_number(
                    static_cast<typename detail::PortableNumber<T>::type>(values[i]));
            }
        }
    }

    /// As numbers(), but of bools that `bit(i)` gives one by one.
    template <class Bit>
    void bits(std::size_t count, const Bit& bit) {
        begin_numbers(FieldToken::boolean, count);
        for (std::size_t i = 0; i < count; ++i) {
            writer_.put_byte(bit(i) ? 1 : 0);
        }
    }

  private:
    // Names are mostly literals: looked up by address, then compared as text.
    struct Cached {
        const char* pointer = nullptr;
        std::string text;
        std::uint32_t number = 0;
    };

    static std::size_t slot(const char* name) {
        const auto address = reinterpret_cast<std::uintptr_t>(name);
        return (address ^ (address >> 8U)) % kSlots;
    }

    void put(FieldToken token) { writer_.put_byte(static_cast<std::uint8_t>(token)); }
    void put_counted(FieldToken token, std::uint64_t count) {
        put(token);
        writer_.put_varint(count);
    }
    void put_text(FieldToken token, std::string_view text) {
        put_counted(token, text.size());
        writer_.put(text.data(), text.size());
    }
    void begin_numbers(FieldToken type, std::uint64_t count) {
        put(FieldToken::array);
        put_counted(type, count);
    }
    void name_slowly(const char* name);

    static constexpr std::size_t kSlots = 256;

    ByteWriter& writer_;
    std::array<Cached, kSlots> cache_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace isotick::core
