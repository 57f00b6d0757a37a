#pragma once
// One peer as a source of inputs.

#include "../wire/entry.hpp"
#include "../wire/input_log.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

/// A change of membership that a quorum may not have yet.
struct PendingChange {
    std::uint64_t entry = 0;  ///< the tick that it stands in
    MemberChange change;
};

struct PeerInputs {
    InputLog log;
    std::vector<std::uint32_t> columns;  ///< where its players' inputs stand among a tick's
    core::Bytes neutral;                 ///< inputs of nobody, as inputs_in gives them
    /// Nothing more is taken from the peer itself: it is about to be dropped, or was.
    bool frozen = false;
    /// Where it is not dropped yet: who asked for that, and has to say so where it thinks better.
    std::optional<std::uint32_t> promised_to;
    /// While it is dropped: how far the peer that decides has come, for it to be told the rest.
    std::uint64_t decider_has = 0;
    /// By peer, as its last packet has it: how much of this source it has, where it gets no more.
    std::vector<std::optional<std::uint64_t>> asked;
    std::vector<bool> froze;  ///< likewise: it takes nothing more from the source
    /// Changes of membership in its entries, in order, until they are agreed on and applied.
    std::vector<PendingChange> pending;
    std::uint64_t agreed_until = 0;  ///< it says that those in its entries before that tick are
};

}  // namespace isotick::harness
