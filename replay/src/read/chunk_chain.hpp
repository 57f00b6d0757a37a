#pragma once
// What binds the chunks of a recording together: their ticks and the two running digests.

#include "../columns/tick_codec.hpp"
#include "../format/running_digests.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>

#include <cstdint>
#include <optional>

namespace isotick::replay {

/// Follows the chunks of a recording from its first on. After a chunk that does not continue
/// those before it nothing more can be told.
class ChunkChain {
  public:
    explicit ChunkChain(const DecodedHead& head) : session_(head.head.session), hashes_(head.head) {
        hashes_.add(0, head.initial_state, head.initial_parts);
    }

    /// The tick that the next chunk must start with.
    [[nodiscard]] std::uint64_t next_tick() const { return next_tick_; }

    /// Goes on with a chunk that starts with next_tick(), whatever its digests.
    void add(const TickChunk& chunk) {
        digest_chunk(chunk, session_, hashes_);
        next_tick_ += chunk.ticks();
        last_state_ = chunk.state_hash(chunk.ticks() - 1);
    }
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
    [[nodiscard]] core::Digest session_digest() { return session_.value(); }
    [[nodiscard]] core::Digest hash_digest() { return hashes_.value(); }

  private:
    std::uint64_t next_tick_ = 0;
    SessionDigester session_;
    HashDigester hashes_;
    std::optional<core::StateHash> last_state_;  // after tick next_tick_ − 1, where it is stored
};

// What Reader and ChunkScan say alike.
inline constexpr const char* kTicksBehindTheLast = "there are more ticks after the last";
inline constexpr const char* kBrokenChain = "a chunk's digests do not continue those before it";

}  // namespace isotick::replay
