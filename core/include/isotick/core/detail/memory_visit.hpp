#pragma once
// Shows where in memory the values of a state are, through its `serialize`.

#include <isotick/core/detail/archive_path.hpp>
#include <isotick/core/detail/contiguous.hpp>
#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/hash_sink.hpp>
#include <isotick/core/detail/memory_walk.hpp>
#include <isotick/core/plugin.h>

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

// A cereal output archive that shows where in memory the values are that serialize visits.

/// Shows one state to a MemoryWalk. A `serialize` function needs nothing of it. Calls may throw
/// what the walk and the state's own code throw.
class MemoryArchive : public cereal::OutputArchive<MemoryArchive, cereal::AllowEmptyClassElision> {
  public:
    /// `walk` must outlive the archive.
    explicit MemoryArchive(MemoryWalk& walk) : OutputArchive(this), walk_(walk) {}

    [[nodiscard]] MemoryWalk& walk() { return walk_; }

    // cereal shows a pointer to a polymorphic type as several values: which type the object is of,
    // which is not in memory, and within a wrapper the object.

    void begin_polymorphic(const void* pointer, std::size_t size) {
        shown_.push_back(!walk_.muted());
        if (!walk_.muted()) {
            walk_.begin_body(pointer, size, "");
        }
        walk_.mute();
    }
    void end_polymorphic() {
        walk_.unmute();
        if (shown_.back()) {
            walk_.end_body();
        }
        shown_.pop_back();
    }

  private:
    MemoryWalk& walk_;
    std::vector<bool> shown_;  // pointers to polymorphic types: whether they are bodies
};

namespace detail {

template <class T>
inline constexpr bool kIsPointerToPolymorphic = false;
template <class T, class D>
inline constexpr bool kIsPointerToPolymorphic<std::unique_ptr<T, D>> = std::is_polymorphic_v<T>;
template <class T>
inline constexpr bool kIsPointerToPolymorphic<std::shared_ptr<T>> = std::is_polymorphic_v<T>;
// Virtual bases are not: cereal visits them once, but mentions them more often.
template <class T>
inline constexpr bool kIsBaseClass = false;
template <class T>
inline constexpr bool kIsBaseClass<cereal::base_class<T>> = true;
template <class T>
inline constexpr bool kIsWeak = false;
template <class T>
inline constexpr bool kIsWeak<std::weak_ptr<T>> = true;

// What the archive does around a value, before cereal does anything with it.
enum class MemoryKind {
    none,        // what serializes it shows it
    minimal,     // one value, of which only its meaning is serialized
    pointer,     // to a polymorphic type
    object,      // a struct
    base_class,  // a struct within the one that is being shown
};

template <class T>
constexpr MemoryKind memory_kind() {
    if constexpr (kIsBaseClass<T>) {
        return MemoryKind::base_class;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_array_v<T> || kIsAround<T>) {
        return MemoryKind::none;
    } else if constexpr (kIsPointerToPolymorphic<T>) {
        return MemoryKind::pointer;
    } else if constexpr (is_walked_whole_v<T> || kIsWeak<T>) {
        return MemoryKind::none;
    } else if constexpr (cereal::traits::has_minimal_output_serialization<T,
                                                                          MemoryArchive>::value) {
        return MemoryKind::minimal;
    } else {
        return MemoryKind::object;
    }
}

template <class T>
void begin_struct(MemoryWalk& walk, const T& object) {
    if constexpr (!kHasMembers<T>) {
        if (is_standard<T>()) {
            walk.begin_opaque(&object, sizeof object);
            return;
        }
    }
    walk.begin_object(type_name<T>(), &object, sizeof object, size_added<T>());
}

template <class T>
void end_struct(MemoryWalk& walk) {
    if (!kHasMembers<T> && is_standard<T>()) {
        walk.end_opaque();
    } else {
        walk.end_object();
    }
}

template <class T>
void begin_base(MemoryWalk& walk, const cereal::base_class<T>& base) {
    walk.begin_base(type_name<T>(), base.base_ptr, size_as_base<T>(),
                    std::is_empty_v<T> ? 0 : size_added<T>());
}

}  // namespace detail

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class T>
void prologue(MemoryArchive& archive, const T& value) {
    using detail::MemoryKind;
    constexpr MemoryKind kKind = detail::memory_kind<T>();
    MemoryWalk& walk = archive.walk();
    if constexpr (detail::is_level_v<T>) {
        walk.enter();
    }
    if constexpr (kKind == MemoryKind::minimal) {
        walk.leaf(&value, sizeof value, std::is_enum_v<T>);
        walk.mute();
    } else if constexpr (kKind == MemoryKind::pointer) {
        archive.begin_polymorphic(&value, sizeof value);
    } else if constexpr (kKind == MemoryKind::object) {
        detail::begin_struct(walk, value);
    } else if constexpr (kKind == MemoryKind::base_class) {
        detail::begin_base(walk, value);
    }
}

template <class T>
void epilogue(MemoryArchive& archive, const T&) {
    using detail::MemoryKind;
    constexpr MemoryKind kKind = detail::memory_kind<T>();
    MemoryWalk& walk = archive.walk();
    if constexpr (kKind == MemoryKind::minimal) {
        walk.unmute();
    } else if constexpr (kKind == MemoryKind::pointer) {
        archive.end_polymorphic();
    } else if constexpr (kKind == MemoryKind::object) {
        detail::end_struct<T>(walk);
    } else if constexpr (kKind == MemoryKind::base_class) {
        walk.end_base();
    }
    if constexpr (detail::is_level_v<T>) {
        walk.leave();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const T& value) {
    archive.walk().leaf(&value, sizeof value, detail::kIsPlainNumber<T>);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(MemoryArchive& archive, cereal::NameValuePair<T>& pair) {
    if (!detail::is_class_version<T>(pair.name)) {
        archive.walk().name(pair.name);
        archive(pair.value);
    }
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(MemoryArchive& archive, cereal::SizeTag<T>&) {
    archive.walk().begin_elements();
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(MemoryArchive& archive, const cereal::BinaryData<T>& data) {
    using Value =
        std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>>;
    archive.walk().leaf(data.data, static_cast<std::size_t>(data.size), is_contiguous_v<Value>);
}

}  // namespace isotick::core

namespace isotick::core {

// What the functions for containers have in common.

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

// What cereal calls after it has written the type of a polymorphic object.
template <class Show>
void show_wrapped(MemoryArchive& archive, const Show& show) {
    const int muted = archive.walk().unmute_all();
    show();
    archive.walk().restore(muted);
}

}  // namespace detail

// How a MemoryArchive shows the standard containers and pointers: functions that cereal prefers to
// its own, as they name the archive.

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

// Shows where the values of a state lie in memory.

/// Walks `state` through its `serialize` and shows `visitor` the objects and values, as
/// isotick_memory_visitor describes them. Rethrows any exception as a std::runtime_error
/// with the path that was reached.
template <class T>
void visit_memory(const T& state, const isotick_memory_visitor& visitor) {
    MemoryWalk walk(visitor);
    walk.push_live(&state, sizeof state);
    MemoryArchive archive(walk);
    try {
        archive(state);
    } catch (const std::exception& thrown) {
        const std::string where = walk.where();
        throw std::runtime_error(where.empty() ? thrown.what() : where + ": " + thrown.what());
    }
}

}  // namespace isotick::core

CEREAL_REGISTER_ARCHIVE(isotick::core::MemoryArchive)
