#pragma once
// One field of a message. Enums are held against their last value when they are read.

#include "messages.hpp"

#include <isotick/core/detail/caught.hpp>
#include <isotick/core/detail/load_archive.hpp>
#include <isotick/core/detail/save_archive.hpp>

#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <type_traits>

#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

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

// Messages through the archives of snapshots. Only for the files that instantiate messages.

template <class T>
std::string to_bytes(const T& message) {
    std::string bytes;
    core::ByteWriter writer({&bytes, [](void* to, const void* data, std::uint64_t size) {
                                 static_cast<std::string*>(to)->append(
                                     static_cast<const char*>(data), size);
                                 return std::int32_t{0};
                             }});
    core::SaveArchive archive(writer);
    archive_field(archive, message);
    writer.flush();
    return bytes;
}

template <class T>
core::Result<T> from_bytes(std::string_view bytes) {
    try {
        core::LoadArchive archive(std::as_bytes(std::span(bytes)));
        T message{};
        archive_field(archive, message);
        if (archive.reader().left() != 0) {
            return core::fail(core::ErrorCode::damaged, "something follows it");
        }
        return message;
    } catch (const std::exception& thrown) {
        return tl::unexpected(core::caught(thrown, core::ErrorCode::damaged));
    }
}

}  // namespace isotick::harness
