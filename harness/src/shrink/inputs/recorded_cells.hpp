#pragma once
// Single inputs of a recording, looked up one by one.

#include "input_grid.hpp"

#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// Reads forward as long as it is asked for later ticks, and starts over for an earlier one.
class RecordedCells {
  public:
    explicit RecordedCells(replay::Reader reader) : reader_(std::move(reader)) {}

    /// The input there; none where it is absent, or where the recording ends before.
    [[nodiscard]] std::optional<std::vector<std::uint8_t>> at(const InputCell& cell);

  private:
    [[nodiscard]] bool go_to(core::Tick tick);

    replay::Reader reader_;
    std::optional<replay::RecordedTicks> ticks_;
    bool there_ = false;  // ticks_ is at a tick
};

}  // namespace isotick::harness
