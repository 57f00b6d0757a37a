#pragma once
// What becomes of a state: the hashes of the states after it, and where two futures part.

#include "stage.hpp"

#include <cstdint>
#include <functional>
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
struct FirstDifference {
    std::uint64_t ticks_done = 0;
    std::vector<std::string> parts;
};

/// The hashes of `simulation`, which has done `at` ticks, and of it as it runs on.
[[nodiscard]] core::Result<std::vector<PartRow>> hash_run(Stage& stage,
                                                          core::Simulation& simulation,
                                                          std::uint64_t at);

/// Runs the untouched simulation on from `at`, twice: where it computes something else the second
/// time, nothing that is done to it can be held against it. The scene's end where that did not go
/// well, with the verdict nondeterministic where both runs differ.
[[nodiscard]] tl::expected<Future, SceneEnd> original_future(Stage& stage, std::uint64_t at);

/// Runs on, once, what `bring` makes of the original at `at`. The scene's end where that did not go
/// well.
using Bring = std::function<core::Result<void>(Stage::Instance& original)>;
[[nodiscard]] tl::expected<Future, SceneEnd> run_once(Stage& stage, std::uint64_t at,
                                                      Tampering tampering, const Bring& bring);

/// Where the second of two futures of one state parts from the first.
[[nodiscard]] std::optional<FirstDifference> first_difference(const Stage& stage, const Future& one,
                                                              const Future& other);

/// Runs `simulation`, which is where `future` begins, on until it parts from it.
[[nodiscard]] core::Result<std::optional<FirstDifference>> run_against(Stage& stage,
                                                                       core::Simulation& simulation,
                                                                       const Future& future);

/// Up to a few fields that differ, as text, and how many do.
void describe_fields(const Bytes& before, const Bytes& after, StateDifference& difference);

}  // namespace isotick::harness
