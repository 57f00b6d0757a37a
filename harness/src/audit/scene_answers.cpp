#include "scene_answers.hpp"

#include "../run/message_archives.hpp"
#include "../run/message_fields.hpp"
#include "../run/messages.hpp"
#include "../system/files.hpp"

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

// What the scenes of probes answer, and what one probe leaves for another.

#define ISOTICK_MESSAGE(...)                                   \
    template std::string to_bytes(const __VA_ARGS__& message); \
    template core::Result<__VA_ARGS__> from_bytes(std::string_view bytes)

ISOTICK_MESSAGE(bool);
ISOTICK_MESSAGE(std::uint64_t);
ISOTICK_MESSAGE(std::vector<std::uint64_t>);
ISOTICK_MESSAGE(SceneReport);
ISOTICK_MESSAGE(HashedRun);
ISOTICK_MESSAGE(std::optional<FirstDifference>);
ISOTICK_MESSAGE(std::vector<WatchedGlobal>);
ISOTICK_MESSAGE(std::vector<WatchedRange>);
ISOTICK_MESSAGE(std::vector<FoundValue>);
ISOTICK_MESSAGE(std::vector<TypeMemory>);
ISOTICK_MESSAGE(LivenessFacts);
ISOTICK_MESSAGE(RestoreFacts);
ISOTICK_MESSAGE(TransplantOutcome);
ISOTICK_MESSAGE(PoisonOutcome);
ISOTICK_MESSAGE(RepairOutcome);
ISOTICK_MESSAGE(PoisonFacts);
ISOTICK_MESSAGE(FlipFacts);
ISOTICK_MESSAGE(WriterFacts);
ISOTICK_MESSAGE(SavedState);

}  // namespace isotick::harness
