#pragma once
// Writes a recording, chunk by chunk, as the session runs.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace isotick::replay {

/// When a new recording appears at its path.
enum class Appearance {
    at_once,    ///< with its head, and grows chunk by chunk: a killed process leaves what it wrote
    complete,   ///< by finish or leave_unfinished; one that was only begun leaves nothing
    filled_in,  ///< the caller made the file, and decides what becomes of it; it is emptied first
};

struct WriterOptions {
    /// Replace a recording that exists once the new one is complete, so that the old one survives
    /// every failure. Until then the new one has the first of the names `s.isotick.unfinished`,
    /// `s.isotick.unfinished1` … that is free, from its first full chunk on, and stays there if it
    /// is never finished: see unfinished_beside. It has the access rights of the old one. What
    /// exists and is no regular file (a device, a pipe) is written to directly. Without it an
    /// existing path is refused.
    bool overwrite = false;
    Appearance appearance = Appearance::at_once;
    /// Wait after each chunk until the disk has it (fdatasync): survives loss of power. Without it
    /// that may take what the system had not written yet: usually half a minute, or all of it.
    bool durable = false;
};

/// Writes one recording. A chunk is handed to the operating system as soon as it is full, so a
/// killed process loses at most the chunk that was open. A Writer that is destroyed without finish
/// leaves a valid recording of all full chunks without a tail, unless that was to appear complete.
/// The first failure, memory that runs out among them, is final: every later call returns it again.
/// Movable; not thread-safe.
class Writer {
  public:
    /// Creates the file and writes the head. `path` is UTF-8 on Windows, elsewhere the system's
    /// bytes. `initial` holds the hashes of the state before tick 0, with one part hash per part
    /// name. Fails with `usage` if the path exists (and overwrite is off), leaving what is there
    /// untouched.
    [[nodiscard]] static core::Result<Writer> create(const std::string& path,
                                                     const RecordingHead& head,
                                                     const TickHashes& initial,
                                                     WriterOptions options = {});
    ~Writer();
    Writer(Writer&&) noexcept;
    Writer& operator=(Writer&&) noexcept;

    /// True if append needs the hashes of the state after `tick`.
    [[nodiscard]] bool hash_due(core::Tick tick) const;

    /// Appends the next tick: one input per player in order and the world's last (as a simulation
    /// gets them), the hashes of the state after it, which may be null unless hash_due, and the dt
    /// that it advanced the simulation by, where that is not the constant one of the head's rate.
    /// Copies what it needs. Fails with `usage` on wrong arguments, `limit` on inputs beyond the
    /// format's limits, `io` if the full chunk cannot be written.
    [[nodiscard]] core::Result<void> append(std::span<const isotick_input> inputs,
                                            const TickHashes* hashes,
                                            std::optional<core::TickDt> dt = {});

    /// Writes what is open, the index and the end mark, and closes. `final_hashes` are those of
    /// the state after the last tick (with all parts) and are stored even off the stride. After
    /// it nothing but destruction may follow.
    [[nodiscard]] core::Result<void> finish(const TickHashes& final_hashes);

    /// Closes what a killed writer would have left: all full chunks, no tail, valid but not
    /// finished; ticks of an open chunk are lost. With `overwrite` it takes the old one's place.
    /// After it nothing but destruction may follow.
    [[nodiscard]] core::Result<void> leave_unfinished();

    /// Ticks appended so far.
    [[nodiscard]] std::uint64_t ticks() const;
    /// Ticks handed to the operating system (with `durable`: to the disk) so far: these survive
    /// the death of the process.
    [[nodiscard]] std::uint64_t written_through() const;

    /// The digest over session info, inputs and dts of all ticks so far. All zeros where memory
    /// runs out, which ends the recording; that is not possible after finish.
    [[nodiscard]] core::Digest session_digest() const;
    /// The digest over all hashes stored so far; the same.
    [[nodiscard]] core::Digest hash_digest() const;

  private:
    struct Impl;
    explicit Writer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace isotick::replay
