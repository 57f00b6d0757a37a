#pragma once
// A cereal output archive that shows where in memory the values are that serialize visits. To be
// used with containers.hpp.

#include <isotick/core/detail/archives/class_version.hpp>
#include <isotick/core/detail/fields/containers.hpp>
#include <isotick/core/detail/hashing/contiguous.hpp>
#include <isotick/core/detail/memory/types.hpp>
#include <isotick/core/detail/memory/walk.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>
#include <cereal/types/base_class.hpp>

namespace isotick::core {

/// Shows one state to a MemoryWalk. Whoever writes `serialize` needs nothing of it. Calls may throw
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

CEREAL_REGISTER_ARCHIVE(isotick::core::MemoryArchive)
