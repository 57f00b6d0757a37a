#pragma once
// The first block of a recording: everything about it that is known before tick 0.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/core/time.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace isotick::replay {

/// The most players a session may have.
inline constexpr std::uint32_t kMostPlayers = 4096;

/// A session without its inputs: everything a simulation is created from except the environment.
struct SessionInfo {
    std::string simulation;  ///< the simulation's name; not empty
    core::TickRate rate = {};
    std::uint32_t players = 0;  ///< at most kMostPlayers
    std::uint64_t seed = 0;
    core::Settings config = {};

    friend bool operator==(const SessionInfo&, const SessionInfo&) = default;
};

/// The canonical bytes of `info` (FORMAT.md, "Session info"): equal sessions have equal bytes, on
/// every machine. The session digest begins with them.
[[nodiscard]] std::vector<std::byte> canonical_bytes(const SessionInfo& info);

/// How many ticks a chunk of a recording at `rate` holds: the smallest power of two that lasts at
/// least one second, at least 16 and at most 4096.
[[nodiscard]] std::uint32_t chunk_ticks(core::TickRate rate);

/// The version of the file format that this isotick writes; it reads this one only.
inline constexpr std::uint16_t kFormatVersion = 1;

/// The most bytes the head of a recording may take.
inline constexpr std::uint32_t kLongestHead = 1U << 20;

/// What a recording says about itself. Only `session` identifies the session; the notes (build id,
/// who blessed it and why …) are the caller's and never affect a digest.
struct RecordingHead {
    SessionInfo session = {};
    std::string hash_algorithm{core::kHashAlgorithm};
    std::string nan_policy{"bits"};                ///< how NaNs enter the hash: `bits`, as they are
    std::uint32_t hash_every = 1;                  ///< at least 1; see HashStride
    std::uint32_t parts_every = 60;                ///< at least 1; see HashStride
    std::vector<std::string> part_names{"state"};  ///< 1 to ISOTICK_MOST_PARTS
    core::Settings notes = {};

    [[nodiscard]] HashStride stride() const {
        return {hash_every, parts_every, static_cast<std::uint32_t>(part_names.size())};
    }
    friend bool operator==(const RecordingHead&, const RecordingHead&) = default;
};

/// Succeeds if `head` keeps every limit of the format; the message names what does not.
[[nodiscard]] core::Result<void> check(const RecordingHead& head);

/// A decoded head block.
struct DecodedHead {
    RecordingHead head;
    core::StateHash initial_state;              ///< the hash before tick 0
    std::vector<core::PartHash> initial_parts;  ///< empty where the state has one part
    std::uint32_t size = 0;                     ///< bytes of the block; chunks begin there
};

/// The head block's bytes (FORMAT.md, "Head"). `initial` holds the hashes of the state before
/// tick 0, one part hash per part name. Fails where check does.
[[nodiscard]] core::Result<std::vector<std::byte>> encode_head(const RecordingHead& head,
                                                               const TickHashes& initial);

/// How many bytes decode_head has to see before it can tell how long the head is.
inline constexpr std::size_t kHeadPrefixSize = 20;

/// The length of the whole head block, told from its first kHeadPrefixSize bytes. Fails on what is
/// not a recording, on one from a newer isotick, and on a length beyond kLongestHead.
[[nodiscard]] core::Result<std::uint32_t> head_size(std::span<const std::byte> prefix);

/// Reads a head block; `bytes` must be exactly as long as head_size says. Never allocates more
/// than the block's own size implies.
[[nodiscard]] core::Result<DecodedHead> decode_head(std::span<const std::byte> bytes);

}  // namespace isotick::replay
