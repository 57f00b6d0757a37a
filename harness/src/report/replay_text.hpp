#pragma once
// A replay and a verification in words.

#include "failure_rows.hpp"

#include <isotick/harness/replay.hpp>
#include <isotick/harness/verify.hpp>

#include <string>

namespace isotick::harness {

// What a verification proves, in words.

/// `begin_frame, step, render`, or what of it a simulation has, and what it has not.
[[nodiscard]] std::string calls_text(const HostCalls& calls);

/// `after the last hash, it left threads running`; empty where nothing was wrong.
[[nodiscard]] std::string bad_end_text(const std::string& bad_end);

/// `98 of 100 trials identical`.
[[nodiscard]] std::string trials_text(const VerifyReport& report);

/// What a simulation that no schedule can reach would gain by being told of frames, and what else
/// is worth trying; empty where one can, or something failed.
[[nodiscard]] std::string worth_trying(const VerifyReport& report);

// One trial in words.

/// The report but for its last line, the verdict. `verdict`: the word that it begins with.
[[nodiscard]] std::string replay_rows(const ReplayReport& report, const std::string& verdict,
                                      const PageWords& words);

/// ` at tick 17`, what follows the verdict; empty where nothing diverged.
[[nodiscard]] std::string where_diverged(const ReplayReport& report);

}  // namespace isotick::harness
