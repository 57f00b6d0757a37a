#pragma once
// A session of inputs with a planted fault, and a runner of candidates that goes on from
// checkpoints.

#include "study/shrink_inputs.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace isotick::harness::tests {

using Bytes = std::vector<std::uint8_t>;

/// What is put in at (column, tick); the world's column is the last.
using RecordedInputs = std::function<std::optional<Bytes>(std::size_t column, std::uint64_t tick)>;

/// What a fault may keep from tick to tick.
using Memory = std::array<std::uint64_t, 2>;

/// Whether the sides diverge in this tick.
using InputFault = std::function<bool(Memory&, std::uint64_t tick, std::span<const isotick_input>)>;

struct InputSession {
    std::uint32_t players = 0;
    RecordedInputs recorded;
    InputFault fault;
};

[[nodiscard]] Bytes bytes_of(const isotick_input& input);

/// Runs candidates and counts what it costs: for each side all ticks behind the deepest checkpoint
/// that fits, of which it keeps a dozen, as a stack.
class InputModelRunner {
  public:
    explicit InputModelRunner(InputSession session) : session_(std::move(session)) {}

    core::Result<RanCandidate> operator()(const InputCandidate& candidate);

  private:
    struct Run {
        InputEditor editor;
        Memory memory{};
        std::uint64_t ticks = 0;
        std::optional<core::Tick> diverged_at{};
    };
    struct Checkpoint {
        InputEdits edits;  // before it
        Run run;
    };

    void advance(Run& run, std::uint64_t ticks) const;

    InputSession session_;
    std::vector<Checkpoint> checkpoints_;  // each begins with the one before
};

/// The tick at which the session diverges with these edits, if it does before `ticks`.
std::optional<core::Tick> divergence_of(const InputSession& session, const InputEdits& edits,
                                        std::uint64_t ticks);

}  // namespace isotick::harness::tests
