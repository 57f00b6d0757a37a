#pragma once
// One peer as a source of inputs.

#include "../wire/entry.hpp"
#include "../wire/input_log.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace isotick::harness {

struct Source {
    InputLog log;
    std::vector<std::uint32_t> columns;  ///< where its players' inputs stand among a tick's
    core::Bytes neutral;                 ///< inputs of nobody, as inputs_in gives them
    /// Nothing more is taken from the peer itself: it is about to be dropped.
    bool frozen = false;
    /// While it is dropped: how far the peer that decides has come, for it to be told the rest.
    std::uint64_t decider_has = 0;
    /// By peer: how much of this source it has, where it said that it gets no more.
    std::vector<std::optional<std::uint64_t>> asked;
    std::vector<bool> froze;  ///< by peer: it said that it takes nothing more from the source
};

}  // namespace isotick::harness
