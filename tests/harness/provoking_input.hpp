#pragma once
// How a test tells the plug-in `provoked` which inputs it waits for.

#include "study/shrink_inputs.hpp"

#include <cstdint>
#include <string>

namespace isotick::tests {

/// `5003/0/17`: the input to that tick of that player, as it begins in the recording.
inline std::string provoking_input(const std::string& recording, std::uint64_t tick,
                                   std::uint32_t player) {
    harness::RecordedCells cells(replay::Reader::open(recording).value());
    const auto bytes = cells.at({player, core::Tick{tick}});
    return std::to_string(tick) + "/" + std::to_string(player) + "/" +
           std::to_string(bytes.value().at(0));
}

}  // namespace isotick::tests
