#pragma once
// Messages as bytes: little-endian numbers, sizes before what they count. A struct is its members
// (visit_members), so that a new one is carried without another list of them. Only for the files
// that instantiate messages.

#include "../system/members.hpp"
#include "messages.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/caught.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace isotick::harness {

/// The last enumerator of an enum that crosses a process; all from 0 to it are values.
template <class Enum>
inline constexpr auto kLastOf = nullptr;

/// A std::tuple of pointers to the members of T that are not carried: the other side has them as
/// they are by default.
template <class T>
inline constexpr std::tuple<> kNotCarried;

/// What stands for a T that is made by functions of its own, which refuse what breaks its rules:
/// `static X to(const T&)` and `static T from(X)`, which throws std::invalid_argument.
template <class T>
struct CarriedAs {};

/// What is done to a T& whose members have arrived. Throws std::invalid_argument where they break
/// a rule.
template <class T>
inline constexpr auto kOnArrival = nullptr;

namespace detail {

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... Ts>
inline constexpr bool kIsVariant<std::variant<Ts...>> = true;
template <class T>
inline constexpr bool kIsPair = false;
template <class A, class B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;

template <class T>
concept HasStandIn = requires(const T& value) {
    CarriedAs<T>::to(value);
};

template <class T>
concept OneByte = sizeof(T) == 1 && (std::is_integral_v<T> || std::is_same_v<T, std::byte>);

// Whether `member` is one of those that are not carried.
template <class T, class Member>
bool is_carried(const T& of, const Member& member) {
    if constexpr (std::tuple_size_v<std::remove_const_t<decltype(kNotCarried<T>)>> == 0) {
        return true;
    } else {
        return std::apply(
            [&](auto... pointers) {
                return (... && (static_cast<const void*>(&(of.*pointers)) != &member));
            },
            kNotCarried<T>);
    }
}

}  // namespace detail

class MessageWriter {
  public:
    template <class T>
    void put(const T& value) {
        if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
            number(static_cast<std::uint32_t>(value));
        } else if constexpr (std::is_same_v<T, bool>) {
            number(std::uint8_t{value});
        } else if constexpr (std::is_arithmetic_v<T>) {
            number(value);
        } else if constexpr (std::is_same_v<T, std::string> || detail::kIsVector<T>) {
            list(value);
        } else if constexpr (detail::kIsOptional<T>) {
            put(value.has_value());
            if (value) {
                put(*value);
            }
        } else if constexpr (detail::kIsVariant<T>) {
            number(static_cast<std::uint32_t>(value.index()));
            put_alternative<0>(value);
        } else if constexpr (detail::kIsPair<T>) {
            put(value.first);
            put(value.second);
        } else if constexpr (detail::HasStandIn<T>) {
            put(CarriedAs<T>::to(value));
        } else {
            visit_members(value,
                          [&](const auto&... members) { (..., put_member(value, members)); });
        }
    }

    [[nodiscard]] std::string take() { return std::move(bytes_); }

  private:
    template <class T, class Member>
    void put_member(const T& of, const Member& member) {
        if (detail::is_carried(of, member)) {
            put(member);
        }
    }

    template <std::size_t Index, class Variant>
    void put_alternative(const Variant& value) {
        if constexpr (Index < std::variant_size_v<Variant>) {
            if (const auto* held = std::get_if<Index>(&value)) {
                put(*held);
            } else {
                put_alternative<Index + 1>(value);
            }
        }
    }

    template <class T>
    void number(T value) {
        std::array<std::byte, sizeof(T)> bytes{};
        if constexpr (std::is_same_v<T, double>) {
            core::store(bytes.data(), std::bit_cast<std::uint64_t>(value));
        } else {
            core::store(bytes.data(), value);
        }
        append(bytes.data(), bytes.size());
    }

    template <class List>
    void list(const List& values) {
        number(static_cast<std::uint64_t>(values.size()));
        if constexpr (detail::OneByte<typename List::value_type>) {
            append(values.data(), values.size());
        } else {
            for (const auto& value : values) {
                put(value);
            }
        }
    }

    void append(const void* bytes, std::size_t size) {
        bytes_.append(static_cast<const char*>(bytes), size);
    }

    std::string bytes_;
};

/// Throws std::invalid_argument for bytes that a MessageWriter cannot have written.
class MessageReader {
  public:
    explicit MessageReader(std::string_view bytes) : reader_(std::as_bytes(std::span(bytes))) {}

    template <class T>
    void get(T& value) {
        if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
            value =
                static_cast<T>(below(std::uint64_t{static_cast<std::uint32_t>(T{kLastOf<T>})} + 1));
        } else if constexpr (std::is_same_v<T, bool>) {
            const auto byte = number<std::uint8_t>();
            require(byte <= 1, "a truth value is 0 or 1");
            value = byte == 1;
        } else if constexpr (std::is_arithmetic_v<T>) {
            value = number<T>();
        } else if constexpr (std::is_same_v<T, std::string> || detail::kIsVector<T>) {
            list(value);
        } else if constexpr (detail::kIsOptional<T>) {
            value.reset();
            bool is_there = false;
            get(is_there);
            if (is_there) {
                get(value.emplace());
            }
        } else if constexpr (detail::kIsVariant<T>) {
            alternative<0>(value, below(std::variant_size_v<T>));
        } else if constexpr (detail::kIsPair<T>) {
            get(value.first);
            get(value.second);
        } else if constexpr (detail::HasStandIn<T>) {
            std::remove_cvref_t<decltype(CarriedAs<T>::to(value))> stand_in{};
            get(stand_in);
            value = CarriedAs<T>::from(std::move(stand_in));
        } else {
            visit_members(value, [&](auto&... members) { (..., get_member(value, members)); });
            if constexpr (!std::is_null_pointer_v<std::remove_const_t<decltype(kOnArrival<T>)>>) {
                kOnArrival<T>(value);
            }
        }
    }

    void require_end() const { require(reader_.at_end(), "something follows it"); }

  private:
    static void require(bool kept, const char* rule) {
        if (!kept) {
            throw std::invalid_argument(rule);
        }
    }

    template <class T, class Member>
    void get_member(const T& of, Member& member) {
        if (detail::is_carried(of, member)) {
            get(member);
        }
    }

    template <class T>
    T number() {
        T value{};
        if constexpr (std::is_same_v<T, double>) {
            value = std::bit_cast<double>(reader_.get<std::uint64_t>());
        } else {
            value = reader_.get<T>();
        }
        require(reader_.ok(), "the bytes end too early");
        return value;
    }

    std::uint32_t below(std::uint64_t end) {
        const auto value = number<std::uint32_t>();
        require(value < end, "no value of its enum");
        return value;
    }

    // Every element takes a byte at least, so that memory is bounded by what is left to read.
    template <class List>
    void list(List& values) {
        using Element = typename List::value_type;
        const auto size = number<std::uint64_t>();
        require(size <= reader_.remaining(), "the bytes end too early");
        values.clear();
        if constexpr (detail::OneByte<Element>) {
            const auto bytes = reader_.take(size);
            const auto* const first = reinterpret_cast<const Element*>(bytes.data());
            values.assign(first, first + bytes.size());
        } else {
            for (std::uint64_t i = 0; i < size; ++i) {
                Element element{};
                get(element);
                values.push_back(std::move(element));
            }
        }
    }

    template <std::size_t Index, class Variant>
    void alternative(Variant& value, std::size_t index) {
        if constexpr (Index < std::variant_size_v<Variant>) {
            if (index == Index) {
                get(value.template emplace<Index>());
            } else {
                alternative<Index + 1>(value, index);
            }
        }
    }

    core::ByteReader reader_;
};

template <class T>
std::string to_bytes(const T& message) {
    MessageWriter writer;
    writer.put(message);
    return writer.take();
}

template <class T>
core::Result<T> from_bytes(std::string_view bytes) {
    try {
        MessageReader reader(bytes);
        T message{};
        reader.get(message);
        reader.require_end();
        return message;
    } catch (const std::exception& thrown) {
        return tl::unexpected(core::caught(thrown, core::ErrorCode::damaged));
    }
}

}  // namespace isotick::harness
