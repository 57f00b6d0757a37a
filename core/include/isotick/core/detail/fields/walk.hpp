#pragma once
// A cereal output archive that walks a state value by value, with names and types.

#include <isotick/core/detail/archives/archive_path.hpp>
#include <isotick/core/detail/archives/class_version.hpp>
#include <isotick/core/detail/fields/field_traits.hpp>
#include <isotick/core/detail/fields/shape_writer.hpp>
#include <isotick/core/detail/fields/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
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

// Types that containers.hpp shows as a whole; other classes are objects.
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

CEREAL_REGISTER_ARCHIVE(isotick::core::FieldArchive)
CEREAL_REGISTER_ARCHIVE(isotick::core::ShapeArchive)
