#pragma once
// What binds the chunks of a recording together: their ticks and the two running digests.

#include "../columns/tick_codec.hpp"
#include "../format/running_digests.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace isotick::replay {

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

// What Reader and ChunkScan say alike.
inline constexpr const char* kTicksBehindTheLast = "there are more ticks after the last";
inline constexpr const char* kBrokenChain = "a chunk's digests do not continue those before it";

}  // namespace isotick::replay
