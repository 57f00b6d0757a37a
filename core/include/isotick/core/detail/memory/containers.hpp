#pragma once
// How a MemoryArchive shows the standard containers and pointers: functions that cereal prefers to
// its own, as they name the archive.

#include <isotick/core/detail/memory/owned.hpp>

#include <array>
#include <bitset>
#include <cstddef>
#include <deque>
#include <forward_list>
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
#include <cereal/types/memory.hpp>

namespace isotick::core {

template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::vector<T, A>& values) {
    detail::show_body(archive, values, "[*]", [&](MemoryWalk& walk) {
        detail::show_owned(walk, values.data(), values.size() * sizeof(T),
                           [&] { detail::show_row(archive, values.data(), values.size()); });
    });
}
template <class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::vector<bool, A>& bits) {
    detail::show_body(archive, bits, "", [](MemoryWalk&) {});
}
template <std::size_t N>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::bitset<N>& bits) {
    detail::show_body(archive, bits, "", [](MemoryWalk&) {});
}
template <class C, class Traits, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive,
                               const std::basic_string<C, Traits, A>& text) {
    detail::show_body(archive, text, "[*]", [&](MemoryWalk& walk) {
        detail::show_owned(walk, text.data(), text.size() * sizeof(C),
                           [&] { detail::show_row(archive, text.data(), text.size()); });
    });
}
template <class T, std::size_t N>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::array<T, N>& values) {
    detail::show_array(archive, values.data(), N);
}
template <class T, std::size_t N>
void CEREAL_SERIALIZE_FUNCTION_NAME(MemoryArchive& archive, T (&values)[N]) {
    detail::show_array(archive, values, N);
}

template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::deque<T, A>& values) {
    detail::show_sequence(archive, values);
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::list<T, A>& values) {
    detail::show_sequence(archive, values);
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::forward_list<T, A>& values) {
    detail::show_sequence(archive, values);
}
template <class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::set<T, C, A>& set) {
    detail::show_set(archive, set);
}
template <class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::multiset<T, C, A>& set) {
    detail::show_set(archive, set);
}
template <class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::unordered_set<T, H, E, A>& set) {
    detail::show_set(archive, set);
}
template <class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive,
                               const std::unordered_multiset<T, H, E, A>& set) {
    detail::show_set(archive, set);
}

/// Maps of the standard library; cereal shows those of others, whose elements may be made up.
template <template <class...> class Map, class... P, class = typename Map<P...>::mapped_type>
requires(detail::is_walked_whole_v<Map<P...>>) void CEREAL_SAVE_FUNCTION_NAME(
    MemoryArchive& archive, const Map<P...>& map) {
    detail::show_map(archive, map);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::optional<T>& optional) {
    detail::show_body(archive, optional, "", [&](MemoryWalk&) {
        if (optional) {
            archive(*optional);
        }
    });
}
template <class T, class... Types>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::variant<T, Types...>& variant) {
    const std::string suffix = "<" + std::to_string(variant.index()) + ">";
    detail::show_body(archive, variant, suffix.c_str(), [&](MemoryWalk&) {
        if (!variant.valueless_by_exception()) {
            std::visit([&archive](const auto& value) { archive(value); }, variant);
        }
    });
}

template <class T, class D>
requires(!std::is_polymorphic_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    MemoryArchive& archive, const std::unique_ptr<T, D>& pointer) {
    detail::show_body(archive, pointer, "", [&](MemoryWalk&) {
        if (pointer != nullptr) {
            detail::show_pointee(archive, *pointer);
        }
    });
}
template <class T>
requires(!std::is_polymorphic_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    MemoryArchive& archive, const std::shared_ptr<T>& pointer) {
    detail::show_body(archive, pointer, "",
                      [&](MemoryWalk&) { detail::show_shared(archive, pointer); });
}
/// Shows the object, which somebody else keeps alive until the simulation is called again.
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const std::weak_ptr<T>& pointer) {
    detail::show_body(archive, pointer, "", [&](MemoryWalk& walk) {
        const auto locked = pointer.lock();
        if constexpr (std::is_polymorphic_v<T>) {
            walk.mute();
            archive(locked);
            walk.unmute();
        } else {
            detail::show_shared(archive, locked);
        }
    });
}

template <class T, class D>
void CEREAL_SAVE_FUNCTION_NAME(
    MemoryArchive& archive,
    const cereal::memory_detail::PtrWrapper<const std::unique_ptr<T, D>&>& wrapper) {
    detail::show_wrapped(archive, [&] { detail::show_pointee(archive, *wrapper.ptr); });
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(
    MemoryArchive& archive,
    const cereal::memory_detail::PtrWrapper<const std::shared_ptr<T>&>& wrapper) {
    detail::show_wrapped(archive, [&] { detail::show_shared(archive, wrapper.ptr); });
}

}  // namespace isotick::core
