#pragma once
// The one place where ticks that are being recorded are checked and their changes detected.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/stored_ticks.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::replay {

/// Makes chunks of ticks that come one by one, in memory that is reused. With as few instructions
/// as there can be: a live game pays for append at every tick. Not thread-safe.
class ChunkBuilder {
  public:
    explicit ChunkBuilder(const RecordingHead& head);

    /// Ticks so far, of all chunks.
    [[nodiscard]] std::uint64_t ticks() const { return ticks_; }
    [[nodiscard]] bool hash_due(core::Tick tick) const { return stride_.hash_due(tick); }
    /// Inputs that a tick has: one per player, and the world's.
    [[nodiscard]] std::size_t columns() const { return columns_; }

    /// Whether append could take this as `tick`, once those before are there: fails with `usage` or
    /// `limit` as Writer::append does.
    [[nodiscard]] bool check(core::Tick tick, std::span<const isotick_input> inputs,
                             const TickHashes* hashes);

    /// Takes the next tick into the open chunk, which must not be full. False if it cannot be
    /// taken; after that nothing more may come.
    [[nodiscard]] bool append(std::span<const isotick_input> inputs, const TickHashes* hashes,
                              const std::optional<core::TickDt>& dt) {
        const core::Tick tick{ticks_};
        if (inputs.size() != columns_) {
            return fail_count(tick, inputs.size());
        }
        if (hash_due(tick)) {
            if (hashes == nullptr || stride_.has_parts()) {
                if (!check_hashes(tick, hashes)) {
                    return false;
                }
                take_parts(tick, *hashes);
            }
            open_.states.push_back(hashes->state);
        }
        const isotick_input* input = inputs.data();
        for (Latest& latest : latest_) {
            if (!is_latest(*input, latest) && !take_input(*input, latest)) {
                return false;
            }
            ++input;
        }
        if (dt || !open_.dts.empty()) {
            take_dt(dt);
        }
        ++open_.ticks;
        ++ticks_;
        return true;
    }

    /// Why check or append returned false.
    [[nodiscard]] const core::Error& error() const { return error_; }

    [[nodiscard]] bool is_full() const { return open_.ticks == full_; }
    /// The open chunk, to be read or swapped for another, whose memory is then reused.
    [[nodiscard]] StoredTicks& open();
    /// Begins the next chunk.
    void begin_chunk();

  private:
    // The latest input of a column in the open chunk, at first absent.
    struct Latest {
        std::uint32_t player;
        std::uint32_t present;
        std::uint64_t size;
        std::size_t offset;  // of its bytes
    };
    static_assert(offsetof(Latest, offset) == offsetof(isotick_input, data));

    // `input` may be malformed: then it is not the latest.
    [[nodiscard]] bool is_latest(const isotick_input& input, const Latest& latest) const {
        if (std::memcmp(&input, &latest, offsetof(isotick_input, data)) != 0) {
            return false;
        }
        const std::uint8_t* const known = open_.inputs.bytes.data() + latest.offset;
        if (input.size == sizeof(std::uint64_t) && input.data != nullptr) {  // most pads
            return std::memcmp(input.data, known, sizeof(std::uint64_t)) == 0;
        }
        return input.size == 0 ||
               (input.data != nullptr &&
                std::memcmp(input.data, known, static_cast<std::size_t>(input.size)) == 0);
    }

    [[nodiscard]] bool take_input(const isotick_input& input, Latest& latest);
    void take_parts(core::Tick tick, const TickHashes& hashes);
    void take_dt(std::optional<core::TickDt> dt);
    // Where the next `size` bytes of inputs go.
    [[nodiscard]] std::size_t claim(std::size_t size);

    // Of a column: whether `input` is well-formed and within the limit.
    [[nodiscard]] static bool is_acceptable(const isotick_input& input, const Latest& latest);
    [[nodiscard]] bool check_hashes(core::Tick tick, const TickHashes* hashes);
    // Each returns false, after taking down the reason.
    [[nodiscard]] bool fail_count(core::Tick tick, std::size_t given);
    [[nodiscard]] bool fail_input(core::Tick tick, std::size_t column, const isotick_input& input);
    [[nodiscard]] bool fail(core::ErrorCode code, core::Tick tick, std::string message);

    HashStride stride_;
    std::uint32_t full_;  // ticks of a full chunk
    core::TickDt constant_dt_;
    std::size_t columns_;
    std::vector<Latest> latest_;  // by column
    std::uint64_t ticks_ = 0;
    StoredTicks open_;
    std::size_t bytes_end_ = 0;  // of open_.inputs.bytes: those behind it are room
    std::uint64_t input_cost_ = 0;
    core::Error error_;
};

}  // namespace isotick::replay
