#pragma once
// Plays every verb and every error of harness/PROTOCOL.md at a process, and says what is wrong.

#include <isotick/core/detail/settings.hpp>
#include <isotick/core/result.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace isotick::harness {

struct CheckOptions {
    core::Settings config;
    core::Settings environment;
    std::chrono::milliseconds timeout{10'000};  ///< for each answer; above zero
};

enum class CheckOutcome {
    ok,
    failed,
    left_out,  ///< nothing was played
};

/// One demand of the protocol, and what came of it.
struct CheckResult {
    std::string name;      ///< `render`
    std::string expected;  ///< a sentence of which the process is the subject
    CheckOutcome outcome = CheckOutcome::ok;
    std::string came;     ///< where it failed: what came instead; where it was left out: why
    std::string advice;   ///< where it failed: what to do
    std::string printed;  ///< where it failed: what its processes wrote to stderr, the last the end
};

struct CheckReport {
    std::string simulation;  ///< its name; empty where it never said one
    std::vector<CheckResult> checks;

    [[nodiscard]] std::size_t count(CheckOutcome outcome) const;
};

/// Checks the simulation that is `command`, for /bin/sh. Each check starts processes of its own,
/// about fifty altogether; whatever they do, they are gone afterwards. A demand that cannot be
/// looked at, since a simpler one failed already or the process does not offer the verb, is left
/// out. Fails with `simulation` where the command cannot be run at all, with `io` where the system
/// refuses. The result depends on the process alone, not on how fast it is, unless it times out.
[[nodiscard]] core::Result<CheckReport> check_process(const std::string& command,
                                                      const CheckOptions& options);

}  // namespace isotick::harness
