#pragma once
// The two running digests of a recording (FORMAT.md, "Digests").

#include "bytes.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/replay/input_changes.hpp>
#include <isotick/replay/recording_head.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

/// Digests session info, then the inputs tick by tick.
class SessionDigester {
  public:
    explicit SessionDigester(const SessionInfo& info) { digester_.update(canonical_bytes(info)); }

    /// An input that differs from the tick before (or, at a chunk's first tick, from absent).
    /// Columns must ascend within a tick.
    void add(const InputChange& change, std::span<const std::uint8_t> bytes) {
        put(staged_, change.column);
        put(staged_, change.code);
        put_bytes(staged_, std::as_bytes(bytes));
    }

    void end_tick() {
        put(staged_, kEndOfTick);
        digester_.update(staged_);
        staged_.clear();
    }

    [[nodiscard]] core::Digest value() const { return digester_.value(); }

  private:
    static constexpr std::uint32_t kEndOfTick = 0xffffffff;

    core::StreamDigester digester_;
    Bytes staged_;
};

/// Digests the names of the hash algorithm and NaN policy, then the stored hashes.
class HashDigester {
  public:
    explicit HashDigester(const RecordingHead& head) {
        put_string(staged_, head.hash_algorithm);
        put_string(staged_, head.nan_policy);
        flush();
    }

    /// The hashes of the state after `ticks_done` ticks; `parts` is empty where none are stored.
    void add(std::uint64_t ticks_done, core::StateHash state,
             std::span<const core::PartHash> parts) {
        put(staged_, ticks_done);
        put(staged_, state.value);
        put(staged_, static_cast<std::uint64_t>(parts.size()));
        for (const core::PartHash part : parts) {
            put(staged_, part.value);
        }
        flush();
    }

    [[nodiscard]] core::Digest value() const { return digester_.value(); }

  private:
    void flush() {
        digester_.update(staged_);
        staged_.clear();
    }

    core::StreamDigester digester_;
    Bytes staged_;
};

}  // namespace isotick::replay
