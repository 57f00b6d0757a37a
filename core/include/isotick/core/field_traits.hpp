#pragma once
// What a user may tell about types so that their fields are shown better.

#include <concepts>
#include <string_view>
#include <type_traits>

/// Names the member by which the elements of a sequence are matched, so that a missing one does not
/// make all behind it differ: `ISOTICK_KEY(Unit, id);` at global scope, before the first use. The
/// member must be accessible; otherwise specialise isotick::core::FieldKey.
#define ISOTICK_KEY(Type, member)                                           \
    template <>                                                             \
    struct isotick::core::FieldKey<Type> {                                  \
        static constexpr const char* kName = #member;                       \
        static const auto& of(const Type& entity) { return entity.member; } \
    };                                                                      \
    static_assert(true, "so that a semicolon may follow")

namespace isotick::core {

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
