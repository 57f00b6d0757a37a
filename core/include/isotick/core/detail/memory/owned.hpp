#pragma once
// What the functions of containers.hpp have in common.

#include <isotick/core/detail/fields/order.hpp>
#include <isotick/core/detail/hashing/shared_objects.hpp>
#include <isotick/core/detail/memory/archive.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace isotick::core {
namespace detail {

// Shows the bytes of `body`, then runs `inside`, which shows what it owns.
template <class T, class Inside>
void show_body(MemoryArchive& archive, const T& body, const char* suffix, const Inside& inside) {
    MemoryWalk& walk = archive.walk();
    if (!walk.muted()) {
        walk.begin_body(&body, sizeof body, suffix);
        inside(walk);
        walk.end_body();
    }
}

// Runs `show` while `size` bytes at `memory`, which the innermost body owns, are known to live if
// that is.
template <class Show>
void show_owned(MemoryWalk& walk, const void* memory, std::size_t size, const Show& show) {
    const bool living = walk.owns_living();
    if (living) {
        walk.push_live(memory, size);
    }
    show();
    if (living) {
        walk.pop_live();
    }
}

template <class T>
void show_pointee(MemoryArchive& archive, const T& object) {
    show_owned(archive.walk(), &object, sizeof object, [&] { archive(object); });
}

// `count` values in a row in memory.
template <class T>
void show_row(MemoryArchive& archive, const T* values, std::size_t count) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
        archive.walk().numbers(values, count * sizeof(T), kIsPlainNumber<T>);
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            archive(values[i]);
        }
    }
}

template <class T>
void show_array(MemoryArchive& archive, const T* values, std::size_t count) {
    if (!archive.walk().muted()) {
        archive.walk().begin_row();
        show_row(archive, values, count);
        archive.walk().end_body();
    }
}

template <class T>
void show_key(MemoryArchive& archive, const T& key) {
    archive.walk().begin_key();
    show_pointee(archive, key);
    archive.walk().end_key();
}

// Elements that are nodes of their own.
template <class Sequence>
void show_sequence(MemoryArchive& archive, const Sequence& values) {
    show_body(archive, values, "[*]", [&](MemoryWalk&) {
        for (const auto& value : values) {
            show_pointee(archive, value);
        }
    });
}

template <class Set>
void show_set(MemoryArchive& archive, const Set& set) {
    show_body(archive, set, "[*]", [&](MemoryWalk&) {
        for_each_in_order(set, [&](const auto& key) { show_key(archive, key); });
    });
}

template <class Map>
void show_map(MemoryArchive& archive, const Map& map) {
    show_body(archive, map, "[*]", [&](MemoryWalk& walk) {
        for_each_in_order(map, [&](const auto& item) {
            walk.set_suffix("[key]");
            show_key(archive, item.first);
            walk.set_suffix("[*]");
            show_pointee(archive, item.second);
        });
    });
}

template <class T>
void show_shared(MemoryArchive& archive, const std::shared_ptr<T>& pointer) {
    if (pointer != nullptr &&
        archive.walk().is_first_sight(pointer, &kTypeTag<std::remove_cv_t<T>>)) {
        show_pointee(archive, *pointer);
    }
}

// What cereal comes to when it has written a polymorphic object's type.
template <class Show>
void show_wrapped(MemoryArchive& archive, const Show& show) {
    const int muted = archive.walk().unmute_all();
    show();
    archive.walk().restore(muted);
}

}  // namespace detail
}  // namespace isotick::core
