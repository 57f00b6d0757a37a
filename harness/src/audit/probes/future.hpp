#pragma once
// What becomes of a state: the hashes of the states after it, and where two futures part.

#include "stage.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// The hashes of a state and of those after it, to the end of the run.
struct Future {
    std::uint64_t at = 0;  ///< ticks done in the first
    std::vector<PartRow> rows;
};

/// The first state of a future that is another than it was.
struct Parting {
    std::uint64_t ticks_done = 0;
    std::vector<std::string> parts;
};

/// Runs the untouched simulation on from `at`. The scene's end where that did not go well.
[[nodiscard]] tl::expected<Future, SceneEnd> original_future(Stage& stage, std::uint64_t at);

/// Runs `simulation`, which is where `future` begins, on until it parts from it.
[[nodiscard]] core::Result<std::optional<Parting>> run_against(Stage& stage,
                                                               core::Simulation& simulation,
                                                               const Future& future);

/// Up to a few fields that differ, as text, and how many do.
void describe_fields(const Bytes& before, const Bytes& after, StateDifference& difference);

}  // namespace isotick::harness
