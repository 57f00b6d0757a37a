#pragma once
// Compares the recordings that a session's peers left.

#include "session.hpp"

#include <isotick/core/hash.hpp>
#include <isotick/core/result.hpp>
#include <isotick/harness/detail/verdict.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::netplay {

/// What a peer left.
struct PeerRecording {
    std::size_t life = 0;  ///< index in Session::runs
    std::uint32_t peer = 0;
    std::string path;
    std::uint64_t ticks = 0;
    bool finished = false;
    std::string unreadable;  ///< why; empty: it can be read
};

/// One value in several recordings.
struct ValueOf {
    std::vector<std::uint32_t> peers;  ///< ascending
    std::string value;                 ///< a hash, an input in hexadecimal, or `absent`

    friend bool operator==(const ValueOf&, const ValueOf&) = default;
};

/// The first thing that is not the same in all recordings.
struct RecordingsDiffer {
    enum class What : std::uint8_t {
        session,  ///< something that is known before tick 0
        input,
        dt,
        hash,
    };
    What what = What::hash;
    std::string name;                   ///< `the seed`, `the input of player 1`, `the state hash`
    std::optional<std::uint64_t> tick;  ///< none: the initial state, or the session
    /// By how many peers have them, the most first; of as many, by the lowest peer.
    std::vector<ValueOf> values;
    /// Fewer peers than have the first value have another one.
    bool has_majority = false;
    /// Of the state, those that differ at `parts_tick`: the first tick from `tick` on whose part
    /// hashes are stored.
    std::vector<std::string> parts;
    std::optional<std::uint64_t> parts_tick;

    friend bool operator==(const RecordingsDiffer&, const RecordingsDiffer&) = default;
};

/// What peers recorded, and how it compares.
struct Judgment {
    std::vector<PeerRecording> recordings;
    std::optional<replay::RecordingHead> head;  ///< of the longest
    std::uint64_t ticks = 0;                    ///< that at least two recordings have
    std::uint64_t hashes_compared = 0;
    std::optional<RecordingsDiffer> difference;
    std::string incomparable;  ///< why hashes were not compared; empty: they were
};

/// Reads and compares the recordings of the session. Fails where the system does.
[[nodiscard]] core::Result<Judgment> judge_recordings(const Session& session);

}  // namespace isotick::harness::netplay
