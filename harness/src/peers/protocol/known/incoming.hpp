#pragma once
// What a peer that joins is told of the session before it has a state.

#include "../wire/entry.hpp"
#include "../wire/snapshot_transfer.hpp"

#include <cstdint>
#include <vector>

namespace isotick::harness {

struct Incoming {
    SnapshotReceiver snapshot;
    std::uint32_t from = 0;             ///< who sends it
    std::uint64_t chain = 0;            ///< of all hashes up to it
    std::vector<MemberChange> changes;  ///< who came and went so far
    std::int64_t heard_ns = 0;          ///< when something of it came last
};

}  // namespace isotick::harness
