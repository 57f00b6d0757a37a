#pragma once
// What is intact, damaged or lost in a recording, and its intact ticks in order.

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace isotick::replay {

// Looks at every byte of a recording: what is there, what is damaged, what survives.

/// Ticks from `first` up to but not including `end`.
struct TickRange {
    core::Tick first;
    core::Tick end;
    friend bool operator==(const TickRange&, const TickRange&) = default;
};

/// Everything a scan of a whole recording finds.
struct Survey {
    RecordingHead head;
    std::uint64_t bytes = 0;          ///< the file's size
    std::uint64_t ticks = 0;          ///< of the intact prefix: what a replay can use
    std::uint64_t chunks = 0;         ///< tick chunks of the intact prefix
    std::uint64_t stored_hashes = 0;  ///< of the intact prefix, without the initial one
    std::uint64_t own_dts = 0;  ///< ticks of the intact prefix whose dt is not the constant one
    bool finished = false;  ///< the last tick of a finished recording is part of the intact prefix
    bool has_tail = false;  ///< index and end mark are intact; without, the recording is valid too
    std::optional<Damage> tail_damage;  ///< costs no tick
    core::Digest session_digest;        ///< of the intact prefix
    core::Digest hash_digest;           ///< of the intact prefix
    std::vector<Damage> damages;        ///< by offset
    std::vector<TickRange> surviving;   ///< all intact ticks, those behind damage included

    /// There is no damage, but no end either.
    [[nodiscard]] bool is_unfinished() const { return !finished && damages.empty(); }
};

/// Scans the whole file, going on behind damage at the next chunk that is intact. Ticks behind
/// ticks that are lost have intact checksums, but their chain of digests cannot be verified. Fails
/// where Reader::open does, and on a chunk that needs a newer isotick.
[[nodiscard]] core::Result<Survey> survey(const std::string& path);

// The intact ticks of a recording in order, those behind damage included.

/// Reads the tick chunks of a recording that are intact, as survey finds them: to look at, not to
/// replay, since behind damage it is not proven that they belong together. Memory does not grow
/// with the recording but for its index (8 bytes a chunk). Not thread-safe.
class SurvivingChunks {
  public:
    /// Fails where Reader::open does.
    [[nodiscard]] static core::Result<SurvivingChunks> open(const std::string& path);
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
