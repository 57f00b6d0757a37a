#pragma once
// The chain of digests through the chunks of a recording.

#include "../format/bytes.hpp"
#include "../format/tick_codec.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/stored_ticks.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace isotick::replay {

// The two running digests of a recording (FORMAT.md, "Digests").

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

// What binds the chunks of a recording together: their ticks and the two running digests.

/// Follows the chunks of a recording from its first on. After a chunk that does not continue
/// those before it nothing more can be told.
class ChunkChain {
  public:
    explicit ChunkChain(const DecodedHead& head)
        : ChunkChain(head.head, {head.initial_state, head.initial_parts}) {}
    /// `initial` has part hashes only where they are stored.
    ChunkChain(const RecordingHead& head, const TickHashes& initial);

    /// The tick that comes next: the next chunk must start with it.
    [[nodiscard]] std::uint64_t next_tick() const { return next_tick_; }
    /// The hash of the state before next_tick(), where it is stored.
    [[nodiscard]] std::optional<core::StateHash> last_state() const { return last_state_; }

    /// Goes on with a chunk that starts with next_tick(), or that has grown since it was added.
    void add(const StoredTicks& ticks);
    /// The same, whatever the chunk's digests.
    void add(const TickChunk& chunk) { add(chunk.stored()); }
    /// The same; false if its digests do not continue those before.
    [[nodiscard]] bool take(const TickChunk& chunk) {
        add(chunk);
        return chunk.session_digest() == session_digest() && chunk.hash_digest() == hash_digest();
    }

    /// Goes on with a final chunk behind next_tick() ticks, whatever its digests.
    void add(const FinalHashes& final) {
        if (final.state || !final.parts.empty()) {
            hashes_.add(final.ticks, final.state.value_or(last_state_.value_or(core::StateHash())),
                        final.parts);
        }
    }
    /// The same; false if its digests do not continue those before.
    [[nodiscard]] bool take(const FinalHashes& final) {
        if (final.session_digest != session_digest()) {
            return false;
        }
        add(final);
        return final.hash_digest == hash_digest();
    }

    /// The digests over everything so far.
    [[nodiscard]] Digests digests() { return {session_digest(), hash_digest()}; }
    [[nodiscard]] core::Digest session_digest() { return session_.value(); }
    [[nodiscard]] core::Digest hash_digest() { return hashes_.value(); }

  private:
    // What comes next of the chunk that was added last.
    struct Place {
        std::size_t change = 0;
        std::size_t dt = 0;
        std::size_t state = 0;
        std::size_t part = 0;
    };

    void add_session(const StoredTicks& ticks, std::uint32_t row);
    void add_hashes(const StoredTicks& ticks);

    HashStride stride_;
    std::uint64_t next_tick_ = 0;
    Place place_;
    SessionDigester session_;
    HashDigester hashes_;
    std::optional<core::StateHash> last_state_;
};

}  // namespace isotick::replay
