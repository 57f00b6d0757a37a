#pragma once
// Writes a field stream (core/FIELDS.md), value by value.

#include <isotick/core/detail/archives/byte_writer.hpp>
#include <isotick/core/detail/fields/token.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace isotick::core {

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
    // Names are mostly literals: known by where they are, then held against their text.
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
