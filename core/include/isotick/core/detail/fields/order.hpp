#pragma once
// An order for the elements of unordered containers that depends on nothing but their values.

#include <isotick/core/detail/archives/save_archive.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace isotick::core::detail {

template <class Container>
inline constexpr bool is_unordered_v = requires {
    typename Container::hasher;
};

template <class T>
inline constexpr bool is_simply_ordered_v =
    std::is_integral_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string>;

// The bytes as which a key would be saved.
template <class Key>
std::string key_bytes(const Key& key) {
    std::string bytes;
    const auto append = [](void* context, const void* data, std::uint64_t size) -> std::int32_t {
        static_cast<std::string*>(context)->append(static_cast<const char*>(data),
                                                   static_cast<std::size_t>(size));
        return ISOTICK_OK;
    };
    ByteWriter writer({&bytes, append});
    SaveArchive archive(writer);
    archive(key);
    writer.flush();
    return bytes;
}

// Calls `act` with each element: those of an unordered container by key, of another as they come.
// `key_of` gives an element's key.
template <class Container, class KeyOf, class Act>
void for_each_by_key(const Container& container, const KeyOf& key_of, const Act& act) {
    using Key = typename Container::key_type;
    using Sorted = std::conditional_t<is_simply_ordered_v<Key>, const Key*, std::string>;
    std::vector<std::pair<Sorted, const typename Container::value_type*>> sorted;
    sorted.reserve(container.size());
    for (const auto& element : container) {
        if constexpr (is_simply_ordered_v<Key>) {
            sorted.emplace_back(&key_of(element), &element);
        } else {
            sorted.emplace_back(key_bytes(key_of(element)), &element);
        }
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        if constexpr (is_simply_ordered_v<Key>) {
            return *a.first < *b.first;
        } else {
            return a.first < b.first;
        }
    });
    for (const auto& entry : sorted) {
        act(*entry.second);
    }
}

template <class Container, class Act>
void for_each_in_order(const Container& container, const Act& act) {
    if constexpr (!is_unordered_v<Container>) {
        std::for_each(container.begin(), container.end(), act);
    } else if constexpr (requires { typename Container::mapped_type; }) {
        for_each_by_key(
            container, [](const auto& item) -> const auto& { return item.first; }, act);
    } else {
        for_each_by_key(
            container, [](const auto& item) -> const auto& { return item; }, act);
    }
}

}  // namespace isotick::core::detail
