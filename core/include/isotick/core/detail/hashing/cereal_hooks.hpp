#pragma once
// What cereal calls for each kind of value, found by argument-dependent lookup. Included by
// hash_archive.hpp.

#include <isotick/core/hash_archive.hpp>

#include <cstdint>
#include <type_traits>

#include <cereal/cereal.hpp>

namespace isotick::core {

namespace detail {

template <class T>
inline constexpr bool kIsPair = std::is_base_of_v<cereal::detail::NameValuePairCore, T>;

}  // namespace detail

template <class T>
void prologue(HashArchive& archive, const T&) {
    if constexpr (std::is_class_v<T> && !detail::kIsPair<T>) {
        archive.enter();
    }
}

template <class T>
void epilogue(HashArchive& archive, const T&) {
    if constexpr (std::is_class_v<T> && !detail::kIsPair<T>) {
        archive.leave();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(HashArchive& archive, const T& value) {
    archive.put(value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(HashArchive& archive, cereal::NameValuePair<T>& pair) {
    archive.put(pair);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(HashArchive& archive, cereal::SizeTag<T>& tag) {
    archive.put(tag);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(HashArchive& archive, const cereal::BinaryData<T>& data) {
    archive.put(data);
}

}  // namespace isotick::core
