#pragma once
// What a trial or a run ends with.

#include <string_view>

namespace isotick::harness {

enum class Verdict {
    identical,         ///< every compared hash was the recorded one
    diverged,          ///< a hash differs, and differs the same way in a fresh process
    nondeterministic,  ///< the same plan gave different results in two processes
    crashed,           ///< the simulation ended its process, threw, or reported a failure
    timed_out,         ///< no progress for the time allowed
    stalled,           ///< peers wait for one another, and nothing will end it
    unreadable,        ///< the recording is damaged or cannot be read to its end
    inconclusive,      ///< nothing was proven, with the reason
};

/// `identical`, `timed-out` …: the word used in reports.
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// Of two verdicts the one that decides a run that holds both: nondeterministic before diverged
/// before crashed, timed-out and stalled before unreadable before inconclusive before identical.
/// What is not the same twice may agree with itself by chance, so no number of trials that diverged
/// outranks it.
[[nodiscard]] Verdict graver(Verdict a, Verdict b);

/// The program's exit code for a run that ends with `verdict`.
[[nodiscard]] int exit_code(Verdict verdict);

}  // namespace isotick::harness
