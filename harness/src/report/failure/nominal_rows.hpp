#pragma once
// A nominal replay that fails, in words: what is to blame, or what is left that may be.

#include <isotick/harness/detail/explain/explain.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>

namespace isotick::harness {

/// The rows of a report on why the nominal trial fails. Says no more than was found out: a cause
/// where one is known, else what was ruled out, and what is possible.
[[nodiscard]] std::string nominal_rows(const replay::RecordingHead& head,
                                       const Explanation& explanation);

}  // namespace isotick::harness
