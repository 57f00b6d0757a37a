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

template <class Archive>
void serialize(Archive& archive, SceneReport& report) {
    auto& [failed, answer, work, float_leaks] = report;
    archive_fields(archive, failed, answer, work, float_leaks);
}

template <class Archive>
void serialize(Archive& archive, HashedRun& run) {
    auto& [rows, part_names] = run;
    archive_fields(archive, rows, part_names);
}

template <class Archive>
void serialize(Archive& archive, Parting& parting) {
    auto& [ticks_done, parts] = parting;
    archive_fields(archive, ticks_done, parts);
}

template <class Archive>
void serialize(Archive& archive, WatchedGlobal& watched) {
    auto& [changed, holds_address] = watched;
    archive_fields(archive, changed, holds_address);
}

template <class Archive>
void serialize(Archive& archive, WatchedRange& watched) {
    auto& [initial, other] = watched;
    archive_fields(archive, initial, other);
}

template <class Archive>
void serialize(Archive& archive, FoundValue& value) {
    auto& [path, size] = value;
    archive_fields(archive, path, size);
}

template <class Archive>
void serialize(Archive& archive, Future& future) {
    auto& [at, rows] = future;
    archive_fields(archive, at, rows);
}

template <class Archive>
void serialize(Archive& archive, SavedState& saved) {
    auto& [snapshot, future] = saved;
    archive_fields(archive, snapshot, future);
}

#define ISOTICK_MESSAGE(...)                                   \
    template std::string to_bytes(const __VA_ARGS__& message); \
    template core::Result<__VA_ARGS__> from_bytes(std::string_view bytes)

ISOTICK_MESSAGE(bool);
ISOTICK_MESSAGE(std::uint64_t);
ISOTICK_MESSAGE(SceneReport);
ISOTICK_MESSAGE(HashedRun);
ISOTICK_MESSAGE(std::optional<Parting>);
ISOTICK_MESSAGE(std::vector<WatchedGlobal>);
ISOTICK_MESSAGE(std::vector<WatchedRange>);
ISOTICK_MESSAGE(std::vector<FoundValue>);
ISOTICK_MESSAGE(std::vector<TypeMemory>);
ISOTICK_MESSAGE(LivenessFacts);
ISOTICK_MESSAGE(RestoreFacts);
ISOTICK_MESSAGE(TransplantOutcome);
ISOTICK_MESSAGE(PoisonOutcome);
ISOTICK_MESSAGE(PoisonFacts);
ISOTICK_MESSAGE(FlipFacts);
ISOTICK_MESSAGE(SavedState);

}  // namespace isotick::harness
