#pragma once
// The beginning of a recorded session, held in memory so that many instances can be run over it.

#include <isotick/core/detail/time/tick_dt.hpp>
#include <isotick/core/hash.hpp>
#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// Immutable once read. Movable.
class SessionTicks {
  public:
    /// Reads the first `most` intact ticks, fewer where their inputs take more than 256 MiB. Fails
    /// where the recording cannot be opened, and where there is no tick.
    [[nodiscard]] static core::Result<SessionTicks> read(const std::string& path,
                                                         std::uint64_t most);

    [[nodiscard]] const replay::RecordingHead& head() const { return head_; }
    [[nodiscard]] std::uint64_t ticks() const { return recorded_.size() - 1; }
    /// The inputs of a tick: players in order, the world last.
    [[nodiscard]] std::span<const isotick_input> inputs(std::uint64_t tick) const {
        return std::span(inputs_).subspan(tick * columns_, columns_);
    }
    /// The same with every input absent.
    [[nodiscard]] std::span<const isotick_input> no_inputs() const { return absent_; }
    /// The dt of a tick, where it has one of its own.
    [[nodiscard]] std::optional<core::TickDt> dt(std::uint64_t tick) const { return dts_[tick]; }
    [[nodiscard]] std::uint64_t inputs_present() const;

    /// The hash that was recorded after so many ticks; none where none is stored.
    [[nodiscard]] std::optional<core::StateHash> recorded(std::uint64_t ticks_done) const {
        return recorded_[ticks_done];
    }

  private:
    void keep(std::span<const isotick_input> inputs);
    void point_inputs_to_bytes();

    replay::RecordingHead head_;
    std::size_t columns_ = 0;
    std::vector<isotick_input> inputs_;
    std::vector<isotick_input> absent_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::optional<core::TickDt>> dts_;
    std::vector<std::optional<core::StateHash>> recorded_;
};

}  // namespace isotick::harness
