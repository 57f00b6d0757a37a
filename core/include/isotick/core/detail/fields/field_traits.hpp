#pragma once
// What a user may tell about types so that their fields are shown better.

#include <concepts>
#include <string_view>
#include <type_traits>

/// Names the member by which the elements of a sequence are matched, so that a missing one does not
/// make all behind it differ: `ISOTICK_KEY(Unit, id);` at global scope, before the first use. The
/// member must be accessible; otherwise specialize isotick::core::FieldKey.
#define ISOTICK_KEY(Type, member)                                           \
    template <>                                                             \
    struct isotick::core::FieldKey<Type> {                                  \
        static constexpr const char* kName = #member;                       \
        static const auto& of(const Type& entity) { return entity.member; } \
    };                                                                      \
    static_assert(true, "so that a semicolon may follow")

/// Tells that a class is a fixed-point number with `bits` bits behind the point, so that it is
/// shown as one: `ISOTICK_FIXED(Fixed, 16);` at global scope, before the first use. Its serialize
/// gives one integer and nothing else. Templates specialize isotick::core::FixedPoint instead.
#define ISOTICK_FIXED(Type, bits)                       \
    template <>                                         \
    struct isotick::core::FixedPoint<Type> {            \
        static constexpr unsigned kFractionBits = bits; \
    };                                                  \
    static_assert(true, "so that a semicolon may follow")

namespace isotick::core {

/// How many bits of a T are behind the point: 1 to 64, and at most as many as its integer has; 0
/// where T is no fixed-point number. Hashes and snapshots do not depend on it.
template <class T>
struct FixedPoint {
    static constexpr unsigned kFractionBits = 0;
};

/// By what a T is matched in a sequence; kName is null where nothing but its place counts.
template <class T>
struct FieldKey {
    static constexpr const char* kName = nullptr;
};

/// Enumerators have names where a function `isotick_enum_name(E)` is found by argument-dependent
/// lookup; it returns something that converts to std::string_view, empty for unknown values:
///
///     const char* isotick_enum_name(OrderKind kind);
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
    { isotick_enum_name(value) } -> std::convertible_to<std::string_view>;
};

}  // namespace isotick::core
