#pragma once
// Records a live game: one call per tick, everything slow on a thread of its own.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>
#include <isotick/replay/writer.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace isotick::replay {

struct RecorderOptions {
    /// As WriterOptions::overwrite.
    bool overwrite = false;
    /// Wait after each chunk until the disk has it, on the thread that writes: what
    /// written_through() says survives loss of power too. Costs the thread that plays nothing as
    /// long as a disk takes a chunk in the time in which it is played. Without it, loss of power
    /// may take what the system had not written yet: usually half a minute, or all of the file.
    bool durable = true;
    /// How long a call may wait for the disk, in milliseconds, when all chunks in the queue are
    /// still to be written; then the recording is given up (code `limit`). 0: at once, so that no
    /// call ever waits. A session that runs faster than in real time needs patience.
    std::uint32_t patience_ms = 1000;
    /// Full chunks, of about a second each, that may wait for the disk, at least 1: so long it may
    /// be busy without any call having to wait. A killed process loses these at most, and the open
    /// one.
    std::uint32_t most_queued = 4;
    /// How many ticks may be recorded but not confirmed, at most 65,536: how far back a rollback
    /// may go. 0: a tick is confirmed by recording it.
    std::uint32_t most_unconfirmed = 0;
};

/// Writes one recording while a game runs. Inputs and hashes are copied into memory that is reused
/// (no allocation once the largest inputs were seen); encoding and writing happen on a thread that
/// the Recorder owns.
///
/// The first failure, memory that runs out among them, ends the recording; the file holds all ticks
/// written_through() by then. It is returned by one call, the first that could know of it, and by
/// finish; other calls then do nothing and return success, so that a game may go on without asking.
/// failure() tells at any time.
///
/// A Recorder that is destroyed without finish leaves a valid recording of the full chunks. The
/// destructor waits for the disk for `patience_ms`; what is being written after that is completed
/// or lost with the process. Movable; all calls from one thread at a time, except
/// written_through(), which any thread may call.
class Recorder {
  public:
    /// As Writer::create: the head is written when it returns, but the disk may not have it yet.
    /// `path` is UTF-8 on Windows, elsewhere bytes as the system has them.
    /// Waits for the file for `patience_ms`, or a second if that is longer; then it fails with
    /// `limit`, and no file is left once the disk has answered.
    [[nodiscard]] static core::Result<Recorder> create(const std::string& path,
                                                       const RecordingHead& head,
                                                       const TickHashes& initial,
                                                       RecorderOptions options = {});
    ~Recorder();
    Recorder(Recorder&&) noexcept;
    Recorder& operator=(Recorder&&) noexcept;

    /// True if record needs the hashes of the state after `tick`.
    [[nodiscard]] bool hash_due(core::Tick tick) const;

    /// Records the inputs of `tick` (one per player in order and the world's last), the hashes of
    /// the state after it, which may be null unless hash_due, and the dt that it advanced the game
    /// by, where that is not the constant one of the head's rate. Ticks come in order, from 0. A
    /// tick that was recorded but not confirmed may come again, after a rollback: it replaces
    /// itself and all that came after it. Fails with `usage` on a tick out of order or already
    /// confirmed and on malformed inputs, with `limit` where too many are unconfirmed or the disk
    /// is too slow.
    [[nodiscard]] core::Result<void> record(core::Tick tick, std::span<const isotick_input> inputs,
                                            const TickHashes* hashes,
                                            std::optional<core::TickDt> dt = {});

    /// As above; `hash` is called for the TickHashes only where they are due.
    template <std::invocable Hash>
    [[nodiscard]] core::Result<void> record(core::Tick tick, std::span<const isotick_input> inputs,
                                            const Hash& hash, std::optional<core::TickDt> dt = {}) {
        if (!hash_due(tick)) {
            return record(tick, inputs, nullptr, dt);
        }
        const TickHashes hashes = hash();
        return record(tick, inputs, &hashes, dt);
    }

    /// No rollback will go back to `tick` or before. Needed only with `most_unconfirmed`. Fails
    /// with `usage` on a tick that was not recorded.
    [[nodiscard]] core::Result<void> confirm(core::Tick tick);

    /// Ends the recording after the last confirmed tick, the state after which has these hashes
    /// (with all parts). Waits until the file is complete, but no longer than `patience_ms`: then
    /// it fails with `limit`, and the file is completed later or lost with the process. After it
    /// nothing but destruction may follow.
    [[nodiscard]] core::Result<void> finish(const TickHashes& final_hashes,
                                            std::uint32_t patience_ms = 60'000);

    /// Confirmed ticks so far.
    [[nodiscard]] std::uint64_t confirmed() const;
    /// Ticks handed to the operating system (with `durable`: to the disk) so far. They are in the
    /// file at the path or, until a recording that replaces another is finished, in the one beside
    /// it: see WriterOptions::overwrite.
    [[nodiscard]] std::uint64_t written_through() const;
    /// The failure that ended the recording, if any.
    [[nodiscard]] std::optional<core::Error> failure() const;

  private:
    struct Impl;
    explicit Recorder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace isotick::replay
