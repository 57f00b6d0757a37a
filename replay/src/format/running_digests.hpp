#pragma once
// The two running digests of a recording (FORMAT.md, "Digests").

#include "bytes.hpp"

#include <isotick/core/detail/time/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/input_changes.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace isotick::replay {

/// Digests a stream that comes in pieces of a few bytes, which the digester gets in large ones.
class StagedDigester {
  public:
    /// What comes next in the stream, little-endian.
    template <class T>
    void put(T value) {
        if (kStaged - size_ < sizeof(T)) {
            flush();
        }
        core::store(staged_.data() + size_, value);
        size_ += sizeof(T);
    }

    void put_bytes(std::span<const std::byte> bytes) {
        if (kStaged - size_ < bytes.size()) {
            flush();
        }
        if (bytes.size() > kStaged) {
            digester_.update(bytes);
            return;
        }
        std::copy(bytes.begin(), bytes.end(), staged_.begin() + static_cast<std::ptrdiff_t>(size_));
        size_ += bytes.size();
    }

    /// The length as 32 bits, then the bytes.
    void put_string(std::string_view text) {
        put(static_cast<std::uint32_t>(text.size()));
        put_bytes(std::as_bytes(std::span(text)));
    }

    /// The digest of everything so far.
    [[nodiscard]] core::Digest value() {
        flush();
        return digester_.value();
    }

  private:
    static constexpr std::size_t kStaged = 4096;

    void flush() {
        digester_.update(std::span(staged_).first(size_));
        size_ = 0;
    }

    core::StreamDigester digester_;
    std::array<std::byte, kStaged> staged_;
    std::size_t size_ = 0;
};

/// Digests session info, then inputs and dts tick by tick.
class SessionDigester {
  public:
    explicit SessionDigester(const SessionInfo& info) { stream_.put_bytes(canonical_bytes(info)); }

    /// An input that differs from the tick before (or, at a chunk's first tick, from absent).
    /// Columns must ascend within a tick.
    void add(const InputChange& change, std::span<const std::uint8_t> bytes) {
        stream_.put(change.column);
        stream_.put(change.code);
        stream_.put_bytes(std::as_bytes(bytes));
    }

    /// The tick's dt, where it is not the constant one; behind its inputs.
    void add(core::TickDt dt) {
        stream_.put(kDt);
        stream_.put(dt.numerator());
        stream_.put(dt.denominator());
    }

    void end_tick() { stream_.put(kEndOfTick); }

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
        stream_.put_string(head.hash_algorithm);
        stream_.put_string(head.nan_policy);
    }

    /// The hashes of the state after `ticks_done` ticks; `parts` is empty where none are stored.
    void add(std::uint64_t ticks_done, core::StateHash state,
             std::span<const core::PartHash> parts) {
        stream_.put(ticks_done);
        stream_.put(state.value);
        stream_.put(static_cast<std::uint64_t>(parts.size()));
        for (const core::PartHash part : parts) {
            stream_.put(part.value);
        }
    }

    [[nodiscard]] core::Digest value() { return stream_.value(); }

  private:
    StagedDigester stream_;
};

}  // namespace isotick::replay
