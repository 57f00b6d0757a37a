#pragma once
// A cereal output archive that walks a state value by value, with names and types.

#include <isotick/core/archives/archive_path.hpp>
#include <isotick/core/archives/class_version.hpp>
#include <isotick/core/field_traits.hpp>
#include <isotick/core/fields/shape_writer.hpp>
#include <isotick/core/fields/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <cereal/cereal.hpp>

namespace isotick::core {

/// Shows a state to a sink: a FieldWriter (values) or a ShapeWriter (types). Whoever writes
/// `serialize` needs nothing of it. Calls may throw std::length_error (nested too deeply) and what
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

  private:
    Sink& sink_;
    ArchivePath path_;
    std::string_view called_;
};

/// The archive that writes field streams.
using FieldArchive = FieldWalk<FieldWriter>;
/// The archive that writes down shapes.
using ShapeArchive = FieldWalk<ShapeWriter>;

namespace detail {

// Types that containers.hpp shows as a whole; other classes are objects.
template <class T>
inline constexpr bool is_walked_whole_v = false;

}  // namespace detail

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class Sink, class T>
void prologue(FieldWalk<Sink>& archive, const T& value) {
    if constexpr (detail::is_level_v<T>) {
        archive.path().enter(0);
        if constexpr (!detail::is_walked_whole_v<T>) {
            archive.sink().begin_object();
        }
    } else if constexpr (NamedEnum<T>) {
        archive.call_next_number(isotick_enum_name(value));
    }
}

template <class Sink, class T>
void epilogue(FieldWalk<Sink>& archive, const T&) {
    if constexpr (detail::is_level_v<T>) {
        if constexpr (!detail::is_walked_whole_v<T>) {
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
        archive.sink().name(pair.name);
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

CEREAL_REGISTER_ARCHIVE(isotick::core::FieldArchive)
CEREAL_REGISTER_ARCHIVE(isotick::core::ShapeArchive)
