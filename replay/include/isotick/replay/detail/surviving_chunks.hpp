#pragma once
// The intact ticks of a recording in order, those behind damage included.

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/survey.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>

#include <filesystem>
#include <memory>
#include <vector>

namespace isotick::replay {

/// Reads the tick chunks of a recording that are intact, as survey finds them: to look at, not to
/// replay, since behind damage it is not proven that they belong together. Memory does not grow
/// with the recording but for its index (8 bytes a chunk). Not thread-safe.
class SurvivingChunks {
  public:
    /// Fails where Reader::open does.
    [[nodiscard]] static core::Result<SurvivingChunks> open(const std::filesystem::path& path);
    ~SurvivingChunks();
    SurvivingChunks(SurvivingChunks&&) noexcept;
    SurvivingChunks& operator=(SurvivingChunks&&) noexcept;

    [[nodiscard]] const RecordingHead& head() const;

    /// From the recording's first tick up to the end of its last: what the index says or, without
    /// one, a scan of the whole file finds. Ticks within may be lost.
    [[nodiscard]] core::Result<TickRange> extent();

    /// Makes next begin with the chunk that holds `tick`, or with one before it. Reads what stands
    /// before it only where there is no index.
    [[nodiscard]] core::Result<void> seek(core::Tick tick);

    /// The next intact chunk, which starts behind those before; null where there is none. Valid
    /// until the next call.
    [[nodiscard]] core::Result<const TickChunk*> next();
    /// The damage that the latest call of next passed over.
    [[nodiscard]] const std::vector<Damage>& damages() const;

  private:
    struct Impl;
    explicit SurvivingChunks(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace isotick::replay
