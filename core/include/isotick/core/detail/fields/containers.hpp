#pragma once
// How a FieldWalk shows the standard containers and pointers: functions that cereal prefers to its
// own, as they name the archive.

#include <isotick/core/detail/fields/walk_kinds.hpp>

#include <array>
#include <bitset>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {
namespace detail {

template <class T, class A>
inline constexpr bool is_walked_whole_v<std::vector<T, A>> = true;
template <class T, class A>
inline constexpr bool is_walked_whole_v<std::deque<T, A>> = true;
template <class T, class A>
inline constexpr bool is_walked_whole_v<std::list<T, A>> = true;
template <class T, class A>
inline constexpr bool is_walked_whole_v<std::forward_list<T, A>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::set<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::multiset<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::unordered_set<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::unordered_multiset<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::map<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::multimap<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::unordered_map<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::unordered_multimap<P...>> = true;
template <class... P>
inline constexpr bool is_walked_whole_v<std::basic_string<P...>> = true;
template <class T, std::size_t N>
inline constexpr bool is_walked_whole_v<std::array<T, N>> = true;
template <std::size_t N>
inline constexpr bool is_walked_whole_v<std::bitset<N>> = true;
template <class T>
inline constexpr bool is_walked_whole_v<std::optional<T>> = true;
template <class... Types>
inline constexpr bool is_walked_whole_v<std::variant<Types...>> = true;
// cereal shows polymorphic ones, as objects.
template <class T, class D>
inline constexpr bool is_walked_whole_v<std::unique_ptr<T, D>> = !std::is_polymorphic_v<T>;
template <class T>
inline constexpr bool is_walked_whole_v<std::shared_ptr<T>> = !std::is_polymorphic_v<T>;
template <class T>
inline constexpr bool is_walked_whole_v<std::weak_ptr<T>> = !std::is_polymorphic_v<T>;

}  // namespace detail

template <class Sink, class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::vector<T, A>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
        archive.sink().numbers(values.data(), values.size());
    } else {
        detail::walk_elements<T>(archive, values, values.size());
    }
}
template <class Sink, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::vector<bool, A>& values) {
    detail::walk_bits(archive, values.size(), [&](std::size_t i) { return values[i]; });
}
template <class Sink, class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::deque<T, A>& values) {
    detail::walk_elements<T>(archive, values, values.size());
}
template <class Sink, class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::list<T, A>& values) {
    detail::walk_elements<T>(archive, values, values.size());
}
template <class Sink, class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::forward_list<T, A>& values) {
    const auto size = std::distance(values.begin(), values.end());
    detail::walk_elements<T>(archive, values, static_cast<std::size_t>(size));
}
template <class Sink, class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::set<T, C, A>& values) {
    detail::walk_elements<T>(archive, values, values.size());
}
template <class Sink, class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::multiset<T, C, A>& values) {
    detail::walk_elements<T>(archive, values, values.size());
}
template <class Sink, class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive,
                               const std::unordered_set<T, H, E, A>& values) {
    detail::walk_elements<T>(archive, values, values.size());
}
template <class Sink, class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive,
                               const std::unordered_multiset<T, H, E, A>& values) {
    detail::walk_elements<T>(archive, values, values.size());
}

/// Maps of all kinds.
template <class Sink, template <class...> class Map, class... P,
          class = typename Map<P...>::mapped_type>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const Map<P...>& map) {
    detail::walk_map(archive, map);
}

template <class Sink, class Char, class Traits, class A>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive,
                               const std::basic_string<Char, Traits, A>& text) {
    if constexpr (sizeof(Char) == 1) {
        const auto* bytes = reinterpret_cast<const char*>(text.data());
        detail::walk_text(archive, {bytes, text.size()});
    } else {
        archive.sink().numbers(text.data(), text.size());
    }
}

template <class Sink, class T, std::size_t N>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::array<T, N>& values) {
    detail::walk_array(archive, values.data(), N);
}
template <class Sink, class T, std::size_t N>
void CEREAL_SERIALIZE_FUNCTION_NAME(FieldWalk<Sink>& archive, T (&values)[N]) {
    detail::walk_array(archive, values, N);
}

template <class Sink, std::size_t N>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::bitset<N>& bits) {
    detail::walk_bits(archive, N, [&](std::size_t i) { return bits[i]; });
}

template <class Sink, class T>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::optional<T>& optional) {
    detail::walk_held(archive, optional ? &*optional : nullptr);
}
template <class Sink, class T, class... Types>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const std::variant<T, Types...>& value) {
    detail::walk_variant(archive, value);
}

template <class Sink, class T, class D>
requires(!std::is_polymorphic_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    FieldWalk<Sink>& archive, const std::unique_ptr<T, D>& pointer) {
    detail::walk_held(archive, pointer.get());
}
template <class Sink, class T>
requires(!std::is_polymorphic_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    FieldWalk<Sink>& archive, const std::shared_ptr<T>& pointer) {
    detail::walk_shared(archive, pointer);
}
template <class Sink, class T>
requires(!std::is_polymorphic_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    FieldWalk<Sink>& archive, const std::weak_ptr<T>& pointer) {
    detail::walk_shared(archive, pointer.lock());
}

}  // namespace isotick::core
