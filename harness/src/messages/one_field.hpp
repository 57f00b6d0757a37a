#pragma once
// One field of a message. Enums are held against their last value when they are read.

#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace isotick::harness {

/// The last enumerator of an enum that crosses a process; all from 0 to it are values.
template <class Enum>
inline constexpr auto kLastOf = nullptr;

/// Saves or loads one field. Throws std::invalid_argument for a number that is no value of its
/// enum.
template <class Archive, class Field>
void archive_field(Archive& archive, Field& field) {
    using Value = std::remove_const_t<Field>;
    if constexpr (!std::is_enum_v<Value>) {
        archive(field);
    } else {
        auto number = static_cast<std::uint32_t>(field);
        archive(number);
        if constexpr (Archive::is_loading::value) {
            if (number > static_cast<std::uint32_t>(Value{kLastOf<Value>})) {
                throw std::invalid_argument("no value of its enum");
            }
            field = static_cast<Value>(number);
        }
    }
}

/// The fields of a struct, in this order.
template <class Archive, class... Fields>
void archive_fields(Archive& archive, Fields&... fields) {
    (archive_field(archive, fields), ...);
}

}  // namespace isotick::harness
