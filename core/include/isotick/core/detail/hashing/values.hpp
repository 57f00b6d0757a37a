#pragma once
// The canonical bytes of the standard types that the hash archive writes itself, for speed or
// because cereal's bytes are not canonical. Included by hash_archive.hpp; README.md defines them.

#include <isotick/core/detail/archives/class_version.hpp>
#include <isotick/core/detail/hashing/cereal_hooks.hpp>
#include <isotick/core/detail/hashing/put.hpp>
#include <isotick/core/hash_archive.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace cereal::memory_detail {
template <class T>
struct PtrWrapper;
}

namespace isotick::core::detail {

template <class T>
struct HashValue<cereal::NameValuePair<T>> {
    static void put(HashArchive& archive, const cereal::NameValuePair<T>& pair) {
        if (!is_class_version<T>(pair.name)) {
            archive.put_named(pair.name, pair.value);
        }
    }
};

template <class T>
struct HashValue<cereal::SizeTag<T>> {
    static void put(HashArchive& archive, const cereal::SizeTag<T>& tag) {
        archive.put_size(static_cast<std::size_t>(tag.size));
    }
};

template <class T>
struct HashValue<cereal::BinaryData<T>> {
    static void put(HashArchive& archive, const cereal::BinaryData<T>& data) {
        using Value = std::remove_cv_t<std::remove_pointer_t<std::decay_t<T>>>;
        static_assert(is_contiguous_v<Value>,
                      "isotick: binary_data must be of numbers or of ISOTICK_CONTIGUOUS structs to "
                      "be hashed: the bytes of anything else may hold padding");
        if (data.size % sizeof(Value) != 0) {
            throw std::logic_error("binary_data ends in the middle of a value");
        }
        archive.put_elements(static_cast<const Value*>(data.data),
                             static_cast<std::size_t>(data.size) / sizeof(Value));
    }
};

template <class T, class A>
struct HashValue<std::vector<T, A>> {
    static void put(HashArchive& archive, const std::vector<T, A>& values) {
        archive.put_size(values.size());
        archive.put_elements(values.data(), values.size());
    }
};

template <class A>
struct HashValue<std::vector<bool, A>> {
    static void put(HashArchive& archive, const std::vector<bool, A>& values) {
        archive.put_size(values.size());
        for (const bool value : values) {
            archive.put_number(value);
        }
    }
};

template <class T, std::size_t N>
struct HashValue<std::array<T, N>> {
    static void put(HashArchive& archive, const std::array<T, N>& values) {
        archive.put_elements(values.data(), N);
    }
};

template <class T, std::size_t N>
struct HashValue<std::span<T, N>> {
    static void put(HashArchive& archive, const std::span<T, N>& values) {
        archive.put_size(values.size());
        archive.put_elements(values.data(), values.size());
    }
};

template <class C, class Traits, class A>
struct HashValue<std::basic_string<C, Traits, A>> {
    static void put(HashArchive& archive, const std::basic_string<C, Traits, A>& text) {
        refuse_what_has_no_hash<C>();
        archive.put_size(text.size());
        archive.put_elements(text.data(), text.size());
    }
};

template <class A, class B>
struct HashValue<std::pair<A, B>> {
    static void put(HashArchive& archive, const std::pair<A, B>& both) {
        archive(both.first, both.second);
    }
};

template <class... T>
struct HashValue<std::tuple<T...>> {
    static void put(HashArchive& archive, const std::tuple<T...>& all) {
        std::apply([&](const auto&... each) { archive(each...); }, all);
    }
};

// cereal's flag says that the value is missing.
template <class T>
struct HashValue<std::optional<T>> {
    static void put(HashArchive& archive, const std::optional<T>& value) {
        archive.put_number(!value.has_value());
        if (value) {
            archive.put(*value);
        }
    }
};

template <class... T>
struct HashValue<std::variant<T...>> {
    static void put(HashArchive& archive, const std::variant<T...>& value) {
        if (value.valueless_by_exception()) {
            throw std::logic_error("a variant is without a value: an exception left it so");
        }
        archive.put_number(static_cast<std::int32_t>(value.index()));
        std::visit([&](const auto& held) { archive.put(held); }, value);
    }
};

template <>
struct HashValue<std::monostate> {
    static void put(HashArchive&, std::monostate) {}
};

template <class Map>
struct HashMapInOrder {
    static void put(HashArchive& archive, const Map& map) {
        archive.put_size(map.size());
        for (const auto& [key, value] : map) {
            archive(key, value);
        }
    }
};
template <class K, class V, class C, class A>
struct HashValue<std::map<K, V, C, A>> : HashMapInOrder<std::map<K, V, C, A>> {};
template <class K, class V, class C, class A>
struct HashValue<std::multimap<K, V, C, A>> : HashMapInOrder<std::multimap<K, V, C, A>> {};

template <class T, class D>
struct HashValue<std::unique_ptr<T, D>> {
    static void put(HashArchive& archive, const std::unique_ptr<T, D>& pointer) {
        if constexpr (std::is_polymorphic_v<T>) {
            archive.put_through_cereal(pointer);
        } else {
            archive.put_number(static_cast<std::uint8_t>(pointer != nullptr));
            if (pointer != nullptr) {
                archive.put(*pointer);
            }
        }
    }
};

template <class T>
struct HashValue<std::shared_ptr<T>> {
    static void put(HashArchive& archive, const std::shared_ptr<T>& pointer) {
        if constexpr (std::is_polymorphic_v<T>) {
            archive.put_through_cereal(pointer);
        } else {
            archive.put_shared(pointer);
        }
    }
};

template <class T>
struct HashValue<std::weak_ptr<T>> {
    static void put(HashArchive& archive, const std::weak_ptr<T>& pointer) {
        archive.put_weak(pointer);
    }
};

// What cereal makes of a polymorphic shared_ptr after it has written the type's name.
template <class T>
struct HashValue<cereal::memory_detail::PtrWrapper<const std::shared_ptr<T>&>> {
    static void put(HashArchive& archive,
                    const cereal::memory_detail::PtrWrapper<const std::shared_ptr<T>&>& wrapper) {
        archive.put_shared(wrapper.ptr);
    }
};

}  // namespace isotick::core::detail
