#pragma once
// The two running digests of a recording (FORMAT.md, "Digests").

#include "bytes.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/input_changes.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <span>

namespace isotick::replay {

/// Digests a stream that comes in pieces of a few bytes, which the digester gets in large ones.
class StagedDigester {
  public:
    /// What comes next in the stream: append to it, then call settle.
    [[nodiscard]] Bytes& staged() { return staged_; }
    void settle() {
        if (staged_.size() >= kEnough) {
            flush();
        }
    }

    /// The digest of everything so far.
    [[nodiscard]] core::Digest value() {
        flush();
        return digester_.value();
    }

  private:
    static constexpr std::size_t kEnough = 4096;

    void flush() {
        digester_.update(staged_);
        staged_.clear();
    }

    core::StreamDigester digester_;
    Bytes staged_;
};

/// Digests session info, then inputs and dts tick by tick.
class SessionDigester {
  public:
    explicit SessionDigester(const SessionInfo& info) {
        put_bytes(stream_.staged(), canonical_bytes(info));
    }

    /// An input that differs from the tick before (or, at a chunk's first tick, from absent).
    /// Columns must ascend within a tick.
    void add(const InputChange& change, std::span<const std::uint8_t> bytes) {
        put(stream_.staged(), change.column);
        put(stream_.staged(), change.code);
        put_bytes(stream_.staged(), std::as_bytes(bytes));
        stream_.settle();
    }

    /// The tick's dt, where it is not the constant one; behind its inputs.
    void add(core::TickDt dt) {
        put(stream_.staged(), kDt);
        put(stream_.staged(), dt.numerator());
        put(stream_.staged(), dt.denominator());
    }

    void end_tick() {
        put(stream_.staged(), kEndOfTick);
        stream_.settle();
    }

    [[nodiscard]] core::Digest value() { return stream_.value(); }

  private:
    static constexpr std::uint32_t kEndOfTick = 0xffffffff;
    static constexpr std::uint32_t kDt = 0xfffffffd;

    StagedDigester stream_;
};

/// Digests the names of the hash algorithm and NaN policy, then the stored hashes.
class HashDigester {
  public:
    explicit HashDigester(const RecordingHead& head) {
        put_string(stream_.staged(), head.hash_algorithm);
        put_string(stream_.staged(), head.nan_policy);
    }

    /// The hashes of the state after `ticks_done` ticks; `parts` is empty where none are stored.
    void add(std::uint64_t ticks_done, core::StateHash state,
             std::span<const core::PartHash> parts) {
        Bytes& staged = stream_.staged();
        put(staged, ticks_done);
        put(staged, state.value);
        put(staged, static_cast<std::uint64_t>(parts.size()));
        for (const core::PartHash part : parts) {
            put(staged, part.value);
        }
        stream_.settle();
    }

    [[nodiscard]] core::Digest value() { return stream_.value(); }

  private:
    StagedDigester stream_;
};

}  // namespace isotick::replay
