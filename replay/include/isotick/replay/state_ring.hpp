#pragma once
// The last states of a running game, to be written when its netcode sees a mismatch.

#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isotick::replay {

/// Keeps the last n states as field streams (core/FIELDS.md) in memory that is reused: no
/// allocation once states stop growing. When two peers' hashes differ at a tick, each writes that
/// tick's state; `isotick diff A.state B.state` then lists the fields. Recordings hold no state:
/// this is what is left of the moment. Movable; not thread-safe.
class StateRing {
  public:
    /// Keeps up to `most_states` states, at least 1, of the simulation of this name. Throws
    /// std::bad_alloc where there is no memory for that; no other call throws, except kept().
    StateRing(std::string simulation, std::size_t most_states,
              std::string hash_algorithm = std::string(core::kHashAlgorithm));

    /// Begins the state that `ticks_done` ticks made (0: the initial one) in the place of the
    /// oldest, and returns the sink for its field stream, which holds until the next call:
    /// `core::write_fields(state, ring.begin(ticks_done, hash))`. A state with as many ticks or
    /// more that is kept, from before a rollback, is forgotten. Where there is no memory for a
    /// piece of it, the sink fails, and the state is not kept.
    [[nodiscard]] isotick_sink begin(std::uint64_t ticks_done, core::StateHash hash);

    /// As begin, with the whole field stream. Fails with `io` where there is no memory for it:
    /// then no state is kept in its place.
    core::Result<void> keep(std::uint64_t ticks_done, core::StateHash hash,
                            std::span<const std::byte> fields);

    /// How many ticks made each kept state, ascending.
    [[nodiscard]] std::vector<std::uint64_t> kept() const;

    /// Writes the state that `ticks_done` ticks made as a state dump into a new file. Fails with
    /// `usage` where it is not kept or is no whole field stream, or the path exists; with `io`
    /// where the file cannot be written, which then leaves none. `path` is UTF-8 on Windows,
    /// elsewhere bytes as the system has them.
    [[nodiscard]] core::Result<void> write(std::uint64_t ticks_done, const std::string& path) const;

  private:
    struct Slot {
        std::uint64_t ticks_done = 0;
        core::StateHash hash;
        std::vector<std::byte> fields;
        bool is_used = false;
    };
    static std::int32_t append(void* context, const void* data, std::uint64_t size);
    [[nodiscard]] const Slot* find(std::uint64_t ticks_done) const;

    std::string simulation_;
    std::string hash_algorithm_;
    std::vector<Slot> slots_;
};

}  // namespace isotick::replay
