#pragma once
// How the hash archive adds values. Included by hash_archive.hpp.

#include <isotick/core/detail/hashing/numbers.hpp>
#include <isotick/core/hash_archive.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace isotick::core {
namespace detail {

// contiguous_probe.hpp
struct ContiguousFacts;
template <class T>
const ContiguousFacts& proven_contiguous();

// Calls the walk and puts the path in front of whatever it throws.
template <class T>
void walk_root(HashArchive& archive, const T& state) {
    try {
        archive.put_root(state);
    } catch (const std::exception& thrown) {
        throw StateError(archive.where(), thrown.what());
    } catch (...) {
        throw StateError(archive.where(), "an exception that is not a std::exception");
    }
}

template <class T>
void HashValue<T>::put(HashArchive& archive, const T& value) {
    archive.put_through_cereal(value);
}

}  // namespace detail

template <class T>
void HashArchive::put(const T& value) {
    detail::refuse_what_has_no_hash<T>();
    if constexpr (detail::kIsNumber<T>) {
        put_number(value);
    } else if constexpr (std::is_array_v<T>) {
        put_elements(value, std::extent_v<T>);
    } else if constexpr (kContiguousMark<T> != nullptr) {
        put_elements(&value, 1);
    } else {
        detail::HashValue<T>::put(*this, value);
    }
}

template <class T>
void HashArchive::put_through_cereal(const T& value) {
    static_assert(cereal::traits::is_output_serializable<T, HashArchive>::value ||
                      std::is_empty_v<T> ||
                      std::is_base_of_v<cereal::traits::detail::BaseCastBase, T>,
                  "isotick: this type has no serialize function: write one, or include cereal's "
                  "header for it (<cereal/types/….hpp>)");
    Base::operator()(value);
}

// Whether the memory of a T is what must be hashed, given what is asked of floats. The first
// question about a marked type proves its mark.
template <class T>
bool HashArchive::is_one_piece() const {
    if constexpr (!detail::kMemoryIsCanonical<T>) {
        return false;
    } else if constexpr (std::is_floating_point_v<T>) {
        return floats_ == Floats::bits;
    } else if constexpr (detail::kIsNumber<T>) {
        return true;
    } else if constexpr (std::is_array_v<T>) {
        return is_one_piece<std::remove_extent_t<T>>();
    } else if constexpr (detail::kIsStdArray<T>) {
        return is_one_piece<typename T::value_type>();
    } else {
        return !by_value_ &&
               (!detail::proven_contiguous<T>().has_floats || floats_ == Floats::bits);
    }
}

template <class T>
void HashArchive::put_elements(const T* elements, std::size_t count) {
    if (is_one_piece<T>()) {
        sink_.put(elements, count * sizeof(T));
        return;
    }
    path_.enter_elements();
    for (std::size_t i = 0; i < count; ++i) {
        path_.set_index(i);
        if constexpr (kContiguousMark<T> != nullptr) {
            put_through_cereal(elements[i]);
        } else {
            put(elements[i]);
        }
    }
    path_.leave();
}

template <class T>
void HashArchive::put_named(const char* name, const T& value) {
    if (depth_ == kDirectlyInRoot && !in_part_) {
        put_part(name, value);
        return;
    }
    if (detail::kIsNumber<T> && !by_value_) {
        put(value);
        return;
    }
    path_.enter(name);
    try {
        put(value);
    } catch (...) {
        keep_path();  // names may be gone where the exception is caught
        throw;
    }
    path_.leave();
}

template <class T>
void HashArchive::put_part(const char* name, const T& value) {
    path_.enter(name);
    sink_.begin_part(name);
    in_part_ = true;
    part_number_ = ++named_parts_;
    try {
        if (is_one_piece<T>()) {
            sink_.end_part(std::as_bytes(std::span(&value, 1)));
        } else {
            put(value);
            sink_.end_part();
        }
    } catch (...) {
        keep_path();
        throw;
    }
    part_number_ = 0;
    in_part_ = false;
    path_.leave();
}

template <class T>
void hash_state(const T& state, HashSink& sink, NanPolicy nans) {
    sink.begin_state();
    HashArchive archive(sink, nans == NanPolicy::one ? Floats::one_nan : Floats::bits);
    detail::walk_root(archive, state);
    sink.end_state();
}

template <class T>
std::optional<std::string> find_nan(const T& state) {
    HashSink sink;
    HashArchive archive(sink, Floats::watched);
    detail::walk_root(archive, state);
    return archive.nan_at();
}

}  // namespace isotick::core
