#pragma once
// How a FieldWalk shows the standard containers and pointers. Used by containers.hpp.

#include <isotick/core/detail/fields/order.hpp>
#include <isotick/core/detail/fields/walk.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <cereal/cereal.hpp>

namespace isotick::core {
namespace detail {

template <class T>
inline constexpr char kExampleTag = 0;

// Shows the shape of a T that may not exist in this state, by one made for the purpose.
template <class T>
void walk_example(ShapeArchive& archive) {
    if constexpr (std::is_default_constructible_v<T> && !std::is_polymorphic_v<T>) {
        if (!archive.sink().begin_example(&kExampleTag<T>)) {
            archive.sink().leaf("recursive");
            return;
        }
        const auto example = std::make_unique<T>();
        archive(*example);
        archive.sink().end_example();
    } else {
        archive.sink().leaf("opaque");
    }
}

template <class T>
void walk_wrapped(ShapeArchive& archive, std::string_view suffix) {
    archive.sink().begin_wrapper(suffix);
    walk_example<T>(archive);
    archive.sink().end_wrapper();
}

// Elements in order; matched by their keys where they have one.
template <class T, class Range>
void walk_elements(FieldArchive& archive, const Range& range, std::size_t count) {
    if constexpr (FieldKey<T>::kName != nullptr) {
        archive.sink().begin_entities(count, FieldKey<T>::kName);
    } else {
        archive.sink().begin_sequence(count);
    }
    archive.path().begin_elements();
    for_each_in_order(range, [&archive](const auto& element) {
        if constexpr (FieldKey<T>::kName != nullptr) {
            archive(FieldKey<T>::of(element));
            archive.path().uncount();
        }
        archive(element);
    });
}

template <class T, class Range>
void walk_elements(ShapeArchive& archive, const Range&, std::size_t) {
    walk_wrapped<T>(archive, "[]");
}

template <class Map>
void walk_map(FieldArchive& archive, const Map& map) {
    archive.sink().begin_map(map.size());
    archive.path().begin_elements();
    for_each_in_order(map, [&archive](const auto& item) {
        archive(item.first);
        archive.path().uncount();
        archive(item.second);
    });
}

template <class Map>
void walk_map(ShapeArchive& archive, const Map&) {
    archive.sink().begin_wrapper("");
    walk_wrapped<typename Map::key_type>(archive, "[key]");
    walk_wrapped<typename Map::mapped_type>(archive, "[]");
    archive.sink().end_wrapper();
}

// What an optional or a pointer holds; `value` is null where it holds nothing.
template <class T>
void walk_held(FieldArchive& archive, const T* value) {
    if (value == nullptr) {
        archive.sink().none();
    } else {
        archive(*value);
    }
}

template <class T>
void walk_held(ShapeArchive& archive, const T*) {
    walk_wrapped<std::remove_cv_t<T>>(archive, "?");
}

template <class T>
void walk_shared(FieldArchive& archive, const std::shared_ptr<T>& pointer) {
    if (pointer == nullptr) {
        archive.sink().none();
        return;
    }
    const std::uint32_t id = archive.registerSharedPointer(pointer);
    if ((id & cereal::detail::msb_32bit) == 0) {
        archive.sink().reference(id);
        return;
    }
    archive.sink().shared();
    archive(*pointer);
}

template <class T>
void walk_shared(ShapeArchive& archive, const std::shared_ptr<T>&) {
    walk_wrapped<std::remove_cv_t<T>>(archive, "&");
}

template <class... Types>
void walk_variant(FieldArchive& archive, const std::variant<Types...>& variant) {
    if (variant.valueless_by_exception()) {
        archive.sink().none();
        return;
    }
    archive.sink().alternative(variant.index());
    std::visit([&archive](const auto& value) { archive(value); }, variant);
}

template <class... Types>
void walk_variant(ShapeArchive& archive, const std::variant<Types...>&) {
    std::size_t index = 0;
    archive.sink().begin_wrapper("");
    (walk_wrapped<Types>(archive, "<" + std::to_string(index++) + ">"), ...);
    archive.sink().end_wrapper();
}

template <class Bit>
void walk_bits(FieldArchive& archive, std::size_t count, const Bit& bit) {
    archive.sink().bits(count, bit);
}

template <class Bit>
void walk_bits(ShapeArchive& archive, std::size_t, const Bit&) {
    archive.sink().leaf("bool[]");
}

inline void walk_text(FieldArchive& archive, std::string_view text) {
    archive.sink().text(text);
}
inline void walk_text(ShapeArchive& archive, std::string_view) {
    archive.sink().leaf("text");
}

// `count` values in a row in memory, where the count belongs to the type.
template <class Sink, class T>
void walk_array(FieldWalk<Sink>& archive, const T* values, std::size_t count) {
    if constexpr (std::is_arithmetic_v<T>) {
        archive.sink().numbers(values, count);
    } else if constexpr (Sink::kTypesOnly) {
        walk_wrapped<T>(archive, "[" + std::to_string(count) + "]");
    } else {
        walk_elements<T>(archive, std::span(values, count), count);
    }
}

}  // namespace detail
}  // namespace isotick::core
