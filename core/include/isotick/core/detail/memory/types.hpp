#pragma once
// What a walk through memory asks about types.

#include <isotick/core/detail/archives/archive_path.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <cereal/cereal.hpp>

namespace isotick::core::detail {

/// The type's name as C++ writes it, such as `reference::Unit`.
[[nodiscard]] std::string demangled(const std::type_info& type);

/// The same for T; lives as long as the program.
template <class T>
const char* type_name() {
    static const std::string name = demangled(typeid(T));
    return name.c_str();
}

/// Whether T belongs to the standard library.
template <class T>
bool is_standard() {
    static const bool standard = std::string_view(type_name<T>()).starts_with("std::");
    return standard;
}

// Made to learn where in memory a class ends whose base is T.
template <class T>
struct AfterBase : T {
    unsigned char next;

  protected:
    ~AfterBase() = default;
};

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
#endif
/// How many of the bytes of a T belong to it where it is a base: what derives from T may keep
/// members of its own in T's tail padding, and an empty base need not have any.
template <class T>
constexpr std::size_t size_as_base() {
    if constexpr (std::is_empty_v<T>) {
        return 0;
    } else {
        return offsetof(AfterBase<T>, next);
    }
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/// How many bytes at the beginning of a T are no member's: the vtable pointer, and the byte that an
/// empty class has so that its objects have different addresses.
template <class T>
constexpr std::size_t size_added() {
    return std::is_polymorphic_v<T> ? sizeof(void*) : std::is_empty_v<T> ? 1 : 0;
}

// Classes of the standard library that are objects like the user's: they have members.
template <class T>
inline constexpr bool kHasMembers = false;
template <class A, class B>
inline constexpr bool kHasMembers<std::pair<A, B>> = true;
template <class... T>
inline constexpr bool kHasMembers<std::tuple<T...>> = true;

// Whether T is what cereal makes for its own purposes around values of the state.
template <class T>
inline constexpr bool kIsAround = is_wrapper_v<T>;
template <class K, class V>
inline constexpr bool kIsAround<cereal::MapItem<K, V>> = true;

// Numbers whose bytes are all value.
template <class T>
inline constexpr bool kIsPlainNumber = (std::is_arithmetic_v<T> &&
                                        !std::is_same_v<std::remove_cv_t<T>, long double>) ||
                                       std::is_enum_v<T>;

}  // namespace isotick::core::detail
