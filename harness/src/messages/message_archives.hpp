#pragma once
// Messages through the archives of snapshots. Only for the files that instantiate messages.

#include "messages.hpp"
#include "one_field.hpp"

#include <isotick/core/detail/archives/load_archive.hpp>
#include <isotick/core/detail/archives/load_bits.hpp>
#include <isotick/core/detail/archives/save_archive.hpp>
#include <isotick/core/detail/caught.hpp>

#include <exception>
#include <span>

#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

namespace isotick::harness {

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
