#pragma once
// A state as named, typed fields, through its `serialize`.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/field_writer.hpp>
#include <isotick/core/detail/save_archive.hpp>
#include <isotick/core/result.hpp>

#include <algorithm>
#include <array>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <cereal/cereal.hpp>

/// Names the member by which the elements of a sequence are matched, so that a missing one does not
/// make all behind it differ: `ISOTICK_KEY(Unit, id);` at global scope, before the first use. The
/// member must be accessible; otherwise specialize isotick::core::FieldKey.
#define ISOTICK_KEY(Type, member)                                           \
    template <>                                                             \
    struct isotick::core::FieldKey<Type> {                                  \
        static constexpr const char* kName = #member;                       \
        static const auto& of(const Type& entity) { return entity.member; } \
    };                                                                      \
    static_assert(true, "so that a semicolon may follow")

/// Tells that a class is a fixed-point number with `bits` bits behind the point, so that it is
/// shown as one: `ISOTICK_FIXED(Fixed, 16);` at global scope, before the first use. Its serialize
/// gives one integer and nothing else. Templates specialize isotick::core::FixedPoint instead.
#define ISOTICK_FIXED(Type, bits)                       \
    template <>                                         \
    struct isotick::core::FixedPoint<Type> {            \
        static constexpr unsigned kFractionBits = bits; \
    };                                                  \
    static_assert(true, "so that a semicolon may follow")

namespace isotick::core {

// What a user may tell about types so that their fields are shown better.

/// How many bits of a T are behind the point: 1 to 64, and at most as many as its integer has; 0
/// where T is no fixed-point number. Hashes and snapshots do not depend on it.
template <class T>
struct FixedPoint {
    static constexpr unsigned kFractionBits = 0;
};

/// By what a T is matched in a sequence; kName is null where nothing but its place counts.
template <class T>
struct FieldKey {
    static constexpr const char* kName = nullptr;
};

/// Enumerators have names where a function `isotick_enum_name(E)` is found by argument-dependent
/// lookup; it returns something that converts to std::string_view, empty for unknown values:
///
///     const char* isotick_enum_name(OrderKind kind);
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E value) {
    { isotick_enum_name(value) } -> std::convertible_to<std::string_view>;
};

}  // namespace isotick::core

namespace isotick::core::detail {

// An order for the elements of unordered containers that depends on nothing but their values.

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

// A cereal output archive that walks a state value by value, with names and types.

namespace isotick::core {

/// Shows a state to a sink: a FieldWriter (values) or a ShapeWriter (types). A `serialize`
/// function needs nothing of it. Calls may throw std::length_error (nested too deeply) and what
/// the sink and the state's own code throw; path() then tells where.
template <class Sink>
class FieldWalk : public cereal::OutputArchive<FieldWalk<Sink>, cereal::AllowEmptyClassElision> {
  public:
    /// `sink` must outlive the archive.
    explicit FieldWalk(Sink& sink)
        : cereal::OutputArchive<FieldWalk<Sink>, cereal::AllowEmptyClassElision>(this),
          sink_(sink) {}

    [[nodiscard]] Sink& sink() { return sink_; }
    [[nodiscard]] ArchivePath& path() { return path_; }

    /// One number, by its name where it is an enumerator that has one.
    template <class T>
    void number(const T& value) {
        if (fraction_bits_ != 0) {
            fixed(value);
            return;
        }
        if constexpr (!Sink::kTypesOnly) {
            if (!called_.empty()) {
                sink_.number_called(called_);
                called_ = {};
            }
        }
        sink_.number(value);
        path_.count();
    }

    /// The next number is called so; `name` must live until then.
    void call_next_number(std::string_view name) { called_ = name; }

    /// What comes up to end_fixed() is one integer: a fixed-point number.
    void begin_fixed(unsigned fraction_bits) {
        fraction_bits_ = fraction_bits;
        integers_ = 0;
    }
    void end_fixed() {
        if (integers_ != 1) {
            throw std::logic_error(kOneInteger);
        }
        fraction_bits_ = 0;
    }
    [[nodiscard]] bool in_fixed() const { return fraction_bits_ != 0; }
    /// Nothing but an integer makes sense in a fixed-point number.
    void require_no_fixed() const {
        if (in_fixed()) {
            throw std::logic_error(kOneInteger);
        }
    }

  private:
    static constexpr const char* kOneInteger =
        "a fixed-point number (ISOTICK_FIXED) must serialize one integer of as many bits as it has "
        "after the point, and nothing else";

    template <class T>
    void fixed(const T& value) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            if (++integers_ == 1 && fraction_bits_ <= 8 * sizeof(T)) {
                sink_.fixed(fraction_bits_, value);
                path_.count();
                return;
            }
        }
        throw std::logic_error(kOneInteger);
    }

    Sink& sink_;
    ArchivePath path_;
    std::string_view called_;
    unsigned fraction_bits_ = 0;  // of the fixed-point number that this is within; 0: of none
    int integers_ = 0;            // that it has had
};

/// The archive that writes field streams.
using FieldArchive = FieldWalk<FieldWriter>;
/// The archive that writes down shapes.
using ShapeArchive = FieldWalk<ShapeWriter>;

namespace detail {

// Types that are shown as a whole; other classes are objects.
template <class T>
inline constexpr bool is_walked_whole_v = false;

template <class T>
inline constexpr bool is_fixed_v = FixedPoint<T>::kFractionBits != 0;

}  // namespace detail

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class Sink, class T>
void prologue(FieldWalk<Sink>& archive, const T& value) {
    if constexpr (detail::is_level_v<T>) {
        archive.path().enter(0);
        archive.require_no_fixed();
        if constexpr (detail::is_fixed_v<T>) {
            archive.begin_fixed(FixedPoint<T>::kFractionBits);
        } else if constexpr (!detail::is_walked_whole_v<T>) {
            archive.sink().begin_object();
        }
    } else if constexpr (NamedEnum<T>) {
        archive.call_next_number(isotick_enum_name(value));
    }
}

template <class Sink, class T>
void epilogue(FieldWalk<Sink>& archive, const T&) {
    if constexpr (detail::is_level_v<T>) {
        if constexpr (detail::is_fixed_v<T>) {
            archive.end_fixed();
        } else if constexpr (!detail::is_walked_whole_v<T>) {
            archive.sink().end_object();
        }
        archive.path().leave();
    }
}

template <class Sink, class T,
          cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const T& value) {
    archive.number(value);
}

template <class Sink, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(FieldWalk<Sink>& archive, cereal::NameValuePair<T>& pair) {
    if (!detail::is_class_version<T>(pair.name)) {
        if (!archive.in_fixed()) {
            archive.sink().name(pair.name);
        }
        archive_named(archive, archive.path(), pair);
    }
}

template <class Sink, class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(FieldWalk<Sink>& archive, cereal::SizeTag<T>& tag) {
    archive.sink().name("size");
    archive.number(static_cast<std::uint64_t>(tag.size));
}

template <class Sink, class T>
void CEREAL_SAVE_FUNCTION_NAME(FieldWalk<Sink>& archive, const cereal::BinaryData<T>& data) {
    using Value =
        std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>>;
    const auto size = static_cast<std::size_t>(data.size);
    if constexpr (std::is_arithmetic_v<Value>) {
        archive.sink().numbers(static_cast<const Value*>(data.data), size / sizeof(Value));
    } else {
        archive.sink().bytes(data.data, size);
    }
}

}  // namespace isotick::core

namespace isotick::core {

// How a FieldWalk shows the standard containers and pointers.

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

// How a FieldWalk shows the standard containers and pointers: functions that cereal prefers to its
// own, as they name the archive.

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

// The fields of a state, named and typed: field streams, and state dumps, which are a field stream
// with a head (core/FIELDS.md). Compared by field_difference.hpp.

/// What a state dump says about its state.
struct StateDumpHead {
    std::string simulation;      ///< its name, 1 to 1,000 bytes
    std::uint64_t tick = 0;      ///< ticks done when the state was taken
    std::string hash_algorithm;  ///< under which `hash` compares, 1 to 1,000 bytes
    std::uint64_t hash = 0;      ///< the state hash
};

/// A state dump (`*.state`) that was read: its head, and its field stream within the bytes.
struct StateDump {
    StateDumpHead head;
    std::span<const std::byte> fields;
};

/// The bytes that come before a field stream to make it a state dump. Fails on a head outside the
/// limits above.
[[nodiscard]] Result<std::vector<std::byte>> state_dump_head(const StateDumpHead& head);

/// Reads the head of a state dump; the fields are left as they are. The result points into `bytes`.
[[nodiscard]] Result<StateDump> read_state_dump(std::span<const std::byte> bytes);

/// Walks through a whole field stream without comparing it. Fails with the byte offset at which it
/// breaks the format.
[[nodiscard]] Result<void> check_fields(std::span<const std::byte> fields);

/// The path of the first NaN in a field stream; none where there is none. Fails as check_fields.
[[nodiscard]] Result<std::optional<std::string>> find_nan_field(std::span<const std::byte> fields);

/// Writes the field stream of `state` into `sink`. Uses the types' `serialize`; enumerators have
/// the names that isotick_enum_name gives. Rethrows any exception as a std::runtime_error
/// with the path of the field that was reached.
template <class T>
void write_fields(const T& state, isotick_sink sink) {
    ByteWriter bytes(sink);
    FieldWriter writer(bytes);
    FieldArchive archive(writer);
    detail::with_path(archive, [&] {
        archive(state);
        writer.end();
    });
}

}  // namespace isotick::core

CEREAL_REGISTER_ARCHIVE(isotick::core::FieldArchive)
CEREAL_REGISTER_ARCHIVE(isotick::core::ShapeArchive)
