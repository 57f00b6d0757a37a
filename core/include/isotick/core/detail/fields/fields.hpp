#pragma once
// The fields of a state, named and typed: field streams, and state dumps, which are a field stream
// with a head (core/FIELDS.md). Compared by field_difference.hpp.

#include <isotick/core/detail/fields/containers.hpp>
#include <isotick/core/detail/fields/walk.hpp>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::core {

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

/// Writes the field stream of `state` into `sink`. Uses the types' `serialize`; enumerators and
/// keys are named as field_traits.hpp says. Throws what happens on the way, as a std::runtime_error
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
