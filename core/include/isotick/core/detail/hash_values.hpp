#pragma once
// How each kind of value becomes hashed bytes. Included by hash_archive.hpp.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/contiguous.hpp>
#include <isotick/core/hash_archive.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

// What cereal calls for each kind of value, found by argument-dependent lookup. Included by
// hash_archive.hpp.

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

// Holds the promise of ISOTICK_CONTIGUOUS against the type.

namespace detail {

/// What check_contiguous learns besides.
struct ContiguousFacts {
    bool has_floats = false;
};

/// Fills `bytes` with the `round`th pattern, bytes of 0 and 1 but for the last round (a bool must
/// hold nothing else); false: there are no more. Over all rounds each byte's values tell it from
/// every other byte, and each changes.
[[nodiscard]] bool fill_pattern(std::span<std::byte> bytes, unsigned round);

/// Throws std::logic_error unless `hashed`, of which there were `count`, are the bytes of `memory`.
void require_same_bytes(const char* type, std::span<const std::byte> memory,
                        std::span<const std::byte> hashed, std::size_t count);

template <class T>
ContiguousFacts probe_contiguous() {
    struct alignas(T) Memory {
        std::array<std::byte, sizeof(T)> bytes;
    };
    const auto memory = std::make_unique<Memory>();
    std::vector<std::byte> hashed(sizeof(T));
    HashSink sink;
    ContiguousFacts facts;
    for (unsigned round = 0; fill_pattern(memory->bytes, round); ++round) {
        sink.begin_capture(hashed);
        HashArchive archive(sink, Floats::noted);
        archive.put_inner(*reinterpret_cast<const T*>(memory->bytes.data()));
        require_same_bytes(kContiguousMark<T>, memory->bytes, hashed, sink.captured());
        facts.has_floats = archive.saw_floats();
    }
    return facts;
}

template <class T>
const ContiguousFacts& proven_contiguous() {
    static const ContiguousFacts facts = probe_contiguous<T>();
    return facts;
}

}  // namespace detail

/// Proves on patterns of bytes that `serialize` of T, which must be marked ISOTICK_CONTIGUOUS,
/// visits every byte of memory once and in order. Throws std::logic_error with the type's name and
/// the offset of the first byte where it does not. The proof is kept: later calls cost nothing.
/// HashArchive does this by itself when it first meets T. Thread-safe.
template <class T>
void check_contiguous() {
    static_assert(kContiguousMark<T> != nullptr, "mark the type with ISOTICK_CONTIGUOUS first");
    detail::proven_contiguous<T>();
}

// How the hash archive adds numbers and enums. Included by hash_archive.hpp.

template <class T>
void HashArchive::put_number(const T& value) {
    if constexpr (std::is_enum_v<T>) {
        std::underlying_type_t<T> number;
        std::memcpy(&number, &value, sizeof number);
        put_number(number);
    } else if constexpr (!detail::is_portable_number<T>()) {
        using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        put_number(static_cast<Wide>(value));  // a long of 32 bits
    } else {
        if constexpr (std::is_floating_point_v<T>) {
            if (floats_ != Floats::bits) [[unlikely]] {
                put_careful_float(value);
                return;
            }
        }
        if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) {
            sink_.put(&value, sizeof value);
        } else {
            std::byte bytes[sizeof value];
            std::memcpy(bytes, &value, sizeof value);
            for (std::size_t i = sizeof value; i-- > 0;) {
                sink_.put(&bytes[i], 1);
            }
        }
    }
}

template <class T>
void HashArchive::put_careful_float(const T& value) {
    using Number = detail::Bits<sizeof(T)>;
    Number bits = detail::bits_of(value);
    saw_floats_ = true;
    if (floats_ != Floats::noted && detail::is_nan_bits<T>(bits)) {
        if (floats_ == Floats::watched && !nan_at_) {
            nan_at_ = path_.text();
        }
        constexpr int kFraction = std::numeric_limits<T>::digits - 1;
        bits = ((Number{1} << (8 * sizeof(T) - 1 - kFraction)) - 1) << kFraction |
               Number{1} << (kFraction - 1);
    }
    put_number(bits);
}

// How the hash archive adds values. Included by hash_archive.hpp.

namespace detail {

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

// Containers without an order of their own, and shared objects. Included by hash_archive.hpp.

namespace detail {

template <class T>
concept Unordered = requires(const T container) {
    typename T::key_type;
    typename T::hasher;
    container.size();
    { *container.begin() } -> std::same_as<const typename T::value_type&>;
}
&&!cereal::traits::has_member_serialize<T, HashArchive>::value &&
    !cereal::traits::has_member_save<T, HashArchive>::value;

template <Unordered T>
struct HashValue<T> {
    static void put(HashArchive& archive, const T& container) { archive.put_unordered(container); }
};

template <class T>
const auto& key_of(const typename T::value_type& element) {
    if constexpr (requires { typename T::mapped_type; }) {
        return element.first;
    } else {
        return element;
    }
}

template <class Element>
struct Ranked {
    std::uint64_t rank;
    const Element* element;
};

template <class Element>
void sort_by_rank(Ranked<Element>* first, Ranked<Element>* last) {
    std::sort(first, last, [](const auto& a, const auto& b) { return a.rank < b.rank; });
}

}  // namespace detail

// The hash of a value's bytes, on its own.
template <class T>
std::uint64_t HashArchive::hash_item(const T& value) {
    sink_.begin_item();
    ++keys_;
    put(value);
    --keys_;
    return sink_.end_item();
}

template <class T>
void HashArchive::put_unordered(const T& container) {
    put_size(container.size());
    path_.enter_elements();
    std::vector<detail::Ranked<typename T::value_type>> order;
    order.reserve(container.size());
    for (const auto& element : container) {
        order.push_back({hash_item(detail::key_of<T>(element)), &element});
    }
    auto* const all = order.data();
    detail::sort_by_rank(all, all + order.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first + 1;
        while (last < order.size() && order[last].rank == order[first].rank) {
            ++last;
        }
        if (last - first > 1) {  // equal keys: by the whole element
            for (std::size_t i = first; i < last; ++i) {
                order[i].rank = hash_item(*order[i].element);
            }
            detail::sort_by_rank(all + first, all + last);
        }
        first = last;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        path_.set_index(i);
        put(*order[i].element);
    }
    path_.leave();
}

template <class T>
void HashArchive::put_shared(const std::shared_ptr<T>& pointer) {
    const bool weak = std::exchange(through_weak_, false);
    if (pointer == nullptr) {
        put_number(std::uint64_t{0});
        return;
    }
    if (keys_ != 0) {
        throw std::logic_error(
            "an unordered container cannot be put in order by keys that hold shared pointers");
    }
    const auto met =
        shared_.meet(pointer, &detail::kTypeTag<std::remove_cv_t<T>>, weak, part_number_);
    put_number(met.reference);
    if (met.first) {
        put(*pointer);
        shared_.close();
    }
}

template <class T>
void HashArchive::put_weak(const std::weak_ptr<T>& pointer) {
    through_weak_ = true;
    put(pointer.lock());
    through_weak_ = false;
}

}  // namespace isotick::core

// The canonical bytes of the standard types that the hash archive writes itself, for speed or
// because cereal's bytes are not canonical. Included by hash_archive.hpp; README.md defines them.

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
