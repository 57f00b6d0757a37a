#pragma once
// A cereal output archive for snapshots: all values in the order in which serialize visits them,
// little-endian, sizes of containers as 64-bit numbers. snapshot.hpp puts a header before it.

#include <isotick/core/detail/archives/archive_path.hpp>
#include <isotick/core/detail/archives/byte_writer.hpp>
#include <isotick/core/detail/hashing/contiguous.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <cereal/cereal.hpp>

namespace isotick::core {

class LoadArchive;

/// Writes one state. Every element of a container takes at least one byte (a filler, where it
/// would take none), so that a reader can hold sizes against the bytes that are there. Calls may
/// throw: the sink is full, the nesting too deep, the state's own exceptions.
class SaveArchive : public cereal::OutputArchive<SaveArchive, cereal::AllowEmptyClassElision> {
  public:
    /// `writer` must outlive the archive.
    explicit SaveArchive(ByteWriter& writer) : OutputArchive(this), writer_(writer) {}

    [[nodiscard]] ByteWriter& writer() { return writer_; }
    [[nodiscard]] ArchivePath& path() { return path_; }

    void enter() { path_.enter(writer_.written()); }
    void leave() {
        const std::uint64_t start = path_.leave();
        if (path_.in_elements() && writer_.written() == start) {
            writer_.put_byte(0);
        }
    }

  private:
    ByteWriter& writer_;
    ArchivePath path_;
};

namespace detail {

// Vectors that are copied in one piece: their memory is what would be written value by value.
template <class T>
inline constexpr bool is_one_piece_v =
    is_contiguous_v<T> && !std::is_arithmetic_v<T> && std::endian::native == std::endian::little;

}  // namespace detail

// What cereal calls for each kind of value, found by argument-dependent lookup.

template <class T>
void prologue(SaveArchive& archive, const T&) {
    static_assert(cereal::traits::is_output_serializable<T, SaveArchive>::value ||
                      std::is_empty_v<T> ||
                      std::is_base_of_v<cereal::traits::detail::BaseCastBase, T>,
                  "isotick: a state with this type cannot be saved: include cereal's header for it "
                  "(<cereal/types/….hpp>), or write a serialize function");
    if constexpr (detail::is_level_v<T>) {
        archive.enter();
    }
}

template <class T>
void epilogue(SaveArchive& archive, const T&) {
    if constexpr (detail::is_level_v<T>) {
        archive.leave();
    }
}

template <class T, cereal::traits::EnableIf<std::is_arithmetic_v<T>> = cereal::traits::sfinae>
void CEREAL_SAVE_FUNCTION_NAME(SaveArchive& archive, const T& value) {
    static_assert(!std::is_same_v<T, long double>, "long double cannot be saved portably");
    archive.writer().put_number(value);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(SaveArchive& archive, cereal::NameValuePair<T>& pair) {
    archive_named(archive, archive.path(), pair);
}

template <class T>
void CEREAL_SERIALIZE_FUNCTION_NAME(SaveArchive& archive, cereal::SizeTag<T>& tag) {
    archive.writer().put_number(static_cast<std::uint64_t>(tag.size));
    archive.path().begin_elements();
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(SaveArchive& archive, const cereal::BinaryData<T>& data) {
    using Value =
        std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>>;
    static_assert(std::is_arithmetic_v<Value>, "binary_data must be of numbers to be saved");
    archive.writer().put_numbers(static_cast<const Value*>(data.data),
                                 static_cast<std::size_t>(data.size) / sizeof(Value));
}

template <class T, class Allocator>
requires(detail::is_one_piece_v<T>) void CEREAL_SAVE_FUNCTION_NAME(
    SaveArchive& archive, const std::vector<T, Allocator>& values) {
    archive.writer().put_number(static_cast<std::uint64_t>(values.size()));
    archive.writer().put(values.data(), values.size() * sizeof(T));
}

}  // namespace isotick::core

CEREAL_REGISTER_ARCHIVE(isotick::core::SaveArchive)
CEREAL_SETUP_ARCHIVE_TRAITS(isotick::core::LoadArchive, isotick::core::SaveArchive)
