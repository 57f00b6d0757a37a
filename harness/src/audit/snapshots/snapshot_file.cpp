#include "snapshot_file.hpp"

#include "../../messages/messages.hpp"
#include "../../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <fstream>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;

Result<void> write_snapshot(const std::string& path, const SavedState& saved) {
    const std::string bytes = to_bytes(saved);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? Result<void>() : core::fail(ErrorCode::io, "a snapshot cannot be written");
}

Result<SavedState> read_snapshot(const std::string& path) {
    ISOTICK_TRY_ASSIGN(const auto file, MappedFile::open(path));
    const auto bytes = file.bytes();
    return from_bytes<SavedState>({reinterpret_cast<const char*>(bytes.data()), bytes.size()})
        .map_error([](const core::Error& error) {
            return core::Error{
                ErrorCode::io, "a snapshot cannot be read: " + error.message, {}, {}, {}};
        });
}

}  // namespace isotick::harness
