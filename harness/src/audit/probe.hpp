#pragma once
// The kinds of probes, and which of them runs.

#include "stage.hpp"

namespace isotick::harness {

// The kinds of probes. Each fills in its member of the result; where the untouched simulation did
// not come through, the verdict and the reason instead.

void probe_liveness(Stage& stage, ProbeResult& result);
void probe_restore(Stage& stage, ProbeResult& result);
void probe_reload(Stage& stage, ProbeResult& result);
void probe_transplant(Stage& stage, ProbeResult& result);
void probe_map(Stage& stage, ProbeResult& result);
void probe_poison(Stage& stage, ProbeResult& result);
void probe_flip(Stage& stage, ProbeResult& result);
void probe_writer(Stage& stage, ProbeResult& result);

/// The kind of poisoning for ranges that hold addresses.
void probe_opaque(Stage& stage, ProbeResult& result);

/// What ends a probe early.
inline void give_up(ProbeResult& result, const SceneEnd& end) {
    result.verdict = end.verdict;
    result.reason = end.reason;
}

}  // namespace isotick::harness
