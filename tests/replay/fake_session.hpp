#pragma once
// Sessions whose every input and hash is a function of the tick, so that whatever a recording
// returns can be checked against what must be there.

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/replay/detail/recording_head.hpp>
#include <isotick/replay/detail/tick_chunk.hpp>
#include <isotick/replay/reader.hpp>
#include <isotick/replay/writer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace isotick::replay {

using Input = std::optional<std::vector<std::uint8_t>>;

/// Well-mixed bits from up to three numbers (the finaliser of SplitMix64).
std::uint64_t mix(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

struct FakeSession {
    /// 60 Hz (64 ticks a chunk), one part, nobody playing.
    FakeSession();

    RecordingHead head;
    std::uint64_t ticks = 100;
    /// The input of `column` (a player, or the number of players for the world) at `tick`.
    std::function<Input(std::uint64_t tick, std::uint32_t column)> input;
    /// The dt of `tick`, where it has one of its own.
    std::function<std::optional<core::TickDt>(std::uint64_t tick)> dt;
    /// The hash of `part` after `ticks_done` ticks.
    std::function<std::uint64_t(std::uint64_t ticks_done, std::uint32_t part)> part_hash;

    void set_parts(std::uint32_t count);
    void set_rate(std::uint32_t ticks_per_second);

    std::vector<core::PartHash> parts_after(std::uint64_t ticks_done) const;
    core::StateHash state_after(std::uint64_t ticks_done) const;

    /// Starts a recording of this session.
    core::Result<Writer> create(const std::string& path, WriterOptions options = {}) const;
    /// Appends ticks from `writer.ticks()` up to `end`.
    core::Result<void> append(Writer& writer, std::uint64_t end) const;
    core::Result<void> finish(Writer& writer) const;
    /// All of the above.
    core::Result<void> record(const std::string& path, WriterOptions options = {}) const;

    /// Why `chunk` is not what this session recorded; empty if it is.
    std::string mismatch(const TickChunk& chunk) const;
};

/// Inputs of every kind: absent, empty, and of changing length.
Input mixed_input(std::uint64_t tick, std::uint32_t column);

/// Dts of every kind, constant in the first 16 ticks of every 64: as measured, one of a few, and
/// fractions without a common denominator.
std::optional<core::TickDt> mixed_dt(std::uint64_t tick);

/// Four chunks of 16 ticks, the last one short, the first alone without dts of its own; parts; a
/// final hash off the stride.
FakeSession small_session();

/// Two gamepads and an idle world: buttons held for a while, sticks that travel and rest.
Input pad_input(std::uint64_t tick, std::uint32_t column);

/// What sequential reading of a file gave.
struct ReadThrough {
    std::uint64_t ticks = 0;
    std::uint64_t chunks = 0;
    std::string mismatch;              ///< the first tick that is not the session's; must be empty
    std::optional<core::Error> error;  ///< of open or next
    std::optional<Damage> damage;
    std::optional<Damage> tail_damage;
    bool saw_last = false;
    bool has_tail = false;
};
ReadThrough read_through(const std::string& path, const FakeSession& truth);

}  // namespace isotick::replay
