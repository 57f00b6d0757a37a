#pragma once
// A chunk of consecutive ticks as read from a recording.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/stored_ticks.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isotick::replay {

/// The inputs and hashes of consecutive ticks. Belongs to the Reader that returned it, which
/// decodes the next chunk into the same memory. Not thread-safe, not even for reading.
class TickChunk {
  public:
    [[nodiscard]] core::Tick first_tick() const { return {stored_.first}; }
    /// Ticks in this chunk; at least 1.
    [[nodiscard]] std::uint32_t ticks() const { return stored_.ticks; }
    /// True if the recording was finished and these are its last ticks.
    [[nodiscard]] bool is_last() const { return last_; }

    /// The inputs of tick first_tick() + i: players in order, ISOTICK_WORLD last. The bytes are
    /// valid as long as this chunk, the span until the next call of inputs. Requires i < ticks().
    /// Cheapest in ascending order.
    [[nodiscard]] std::span<const isotick_input> inputs(std::uint32_t i) const;

    /// The inputs of tick first_tick() + i that are others than at the tick before (at this chunk's
    /// first tick: than absent), by column: players in order, the world last. Requires i < ticks().
    [[nodiscard]] std::span<const InputChange> changes(std::uint32_t i) const;
    /// The bytes of one of them.
    [[nodiscard]] std::span<const std::uint8_t> bytes_of(const InputChange& change) const;

    /// The dt of tick first_tick() + i, where it has one of its own; none: the constant one of the
    /// head's rate.
    [[nodiscard]] std::optional<core::TickDt> dt(std::uint32_t i) const;
    /// How many ticks have a dt of their own.
    [[nodiscard]] std::uint32_t own_dts() const;

    /// The hash of the state after tick first_tick() + i; none where none is stored.
    [[nodiscard]] std::optional<core::StateHash> state_hash(std::uint32_t i) const;

    /// The part hashes after tick first_tick() + i; empty where none are stored.
    [[nodiscard]] std::span<const core::PartHash> part_hashes(std::uint32_t i) const;

    /// All of it; the final hashes stand behind the others.
    [[nodiscard]] const StoredTicks& stored() const { return stored_; }

    /// The digest over the session info and all inputs and dts up to this chunk's last tick.
    [[nodiscard]] const core::Digest& session_digest() const { return session_digest_; }
    /// The digest over all stored hashes up to this chunk's last tick.
    [[nodiscard]] const core::Digest& hash_digest() const { return hash_digest_; }

  private:
    friend struct ChunkAccess;

    static constexpr std::uint32_t kNone = 0xffffffff;

    void apply_changes_of(std::uint32_t tick) const;

    StoredTicks stored_;
    std::uint32_t players_ = 0;
    std::uint32_t part_count_ = 0;
    bool last_ = false;
    std::vector<std::uint32_t> change_from_;  // per tick (and one more): its first change
    std::vector<std::uint32_t> state_row_;    // per tick: index of its state hash, or kNone
    std::vector<std::uint32_t> parts_row_;    // per tick: index of its first part hash, or kNone
    core::Digest session_digest_;
    core::Digest hash_digest_;
    mutable std::vector<isotick_input> row_;  // the inputs of tick row_tick_
    mutable std::uint32_t row_tick_ = kNone;
};

}  // namespace isotick::replay
