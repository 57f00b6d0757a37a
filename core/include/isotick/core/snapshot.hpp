#pragma once
// Snapshots: a whole state as bytes, for the same build on any machine of the same kind.

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/load_archive.hpp>
#include <isotick/core/detail/save_archive.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>

namespace isotick::core {

/// What serialize visits, by name and type. Two builds whose shapes are equal can load each
/// other's snapshots.
struct Shape {
    std::string text;               ///< one line per value: `units[].velocity.y f32`
    std::uint64_t fingerprint = 0;  ///< XXH3-64 of the text
};

/// The largest snapshot or field stream that is taken from a simulation, in bytes.
inline constexpr std::uint64_t kLargestState = std::uint64_t{1} << 32U;

namespace detail {

[[nodiscard]] Shape finish_shape(std::string text);
void write_snapshot_head(ByteWriter& writer, const Shape& shape);

// Reads the head and refuses another shape; returns what follows.
[[nodiscard]] std::span<const std::byte> read_snapshot_head(std::span<const std::byte> bytes,
                                                            const Shape& shape);

[[noreturn]] void throw_trailing(std::size_t size);

}  // namespace detail

/// The shape of T. Containers contribute the types of their elements, never their sizes; elements
/// are made by their default constructors to be looked at. `state` itself and its members are
/// looked at as they are, so a serialize that visits other members depending on values (other than
/// through containers, optional, variant, pointers) has no fixed shape and cannot be used.
/// Throws what the state's own code throws.
template <class T>
[[nodiscard]] Shape shape_of(const T& state) {
    ShapeWriter writer;
    ShapeArchive archive(writer);
    detail::with_path(archive, [&] { archive(state); });
    return detail::finish_shape(writer.text());
}

/// Writes a snapshot of `state`, whose shape is `shape`, into `sink`. Throws a std::runtime_error
/// with the field path reached.
template <class T>
void save_snapshot(const T& state, const Shape& shape, isotick_sink sink) {
    ByteWriter writer(sink);
    detail::write_snapshot_head(writer, shape);
    SaveArchive archive(writer);
    detail::with_path(archive, [&] {
        archive(state);
        writer.flush();
    });
}

/// Replaces `state`, whose shape is `shape`, by the one in `bytes`, which may be damaged or hostile
/// (see LoadArchive for the limit on memory). Throws a std::runtime_error with the field path
/// reached, or for another shape with what differs: "member `units[].stunned` is new in this
/// build". After that `state` is partly loaded unless the head was at fault.
template <class T>
void load_snapshot(T& state, const Shape& shape, std::span<const std::byte> bytes) {
    LoadArchive archive(detail::read_snapshot_head(bytes, shape));
    detail::with_path(archive, [&] { archive(state); });
    if (archive.reader().left() != 0) {
        detail::throw_trailing(archive.reader().left());
    }
}

}  // namespace isotick::core
