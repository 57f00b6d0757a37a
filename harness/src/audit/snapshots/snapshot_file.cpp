#include "snapshot_file.hpp"

#include "../../platform/mapped_file.hpp"

#include <isotick/core/detail/try.hpp>

#include <exception>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

namespace isotick::harness {

using core::ErrorCode;
using core::Result;
using Wire = nlohmann::json;

Result<void> write_snapshot(const std::string& path, const SavedState& saved) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(saved.snapshot.data());
    const Wire wire{{"at", saved.future.at},
                    {"rows", saved.future.rows},
                    {"snapshot", Wire::binary({first, first + saved.snapshot.size()})}};
    const std::vector<std::uint8_t> bytes = Wire::to_msgpack(wire);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? Result<void>() : core::fail(ErrorCode::io, "a snapshot cannot be written");
}

Result<SavedState> read_snapshot(const std::string& path) {
    ISOTICK_TRY_ASSIGN(const auto file, MappedFile::open(path));
    try {
        const auto* const first = reinterpret_cast<const std::uint8_t*>(file.bytes().data());
        const Wire wire = Wire::from_msgpack(first, first + file.bytes().size());
        const auto& snapshot = wire.at("snapshot").get_binary();
        const auto* const begin = reinterpret_cast<const std::byte*>(snapshot.data());
        return SavedState{
            Bytes(begin, begin + snapshot.size()),
            {wire.at("at").get<std::uint64_t>(), wire.at("rows").get<std::vector<PartRow>>()}};
    } catch (const std::exception& thrown) {
        return core::fail(ErrorCode::io,
                          std::string("a snapshot cannot be read: ") + thrown.what());
    }
}

}  // namespace isotick::harness
