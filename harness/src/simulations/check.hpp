#pragma once
// `sims --check`: the list of checks, and what they have to work with.

#include "../system/channel.hpp"
#include "process_simulation.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/time.hpp>
#include <isotick/harness/detail/check.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::harness::check {

// What all checks of a process share, and what the first ones find out for the others.

/// What each player and then the world contribute to one tick; none: absent.
using TickInputs = std::vector<std::optional<core::Bytes>>;
using Hashes = std::vector<std::uint64_t>;

struct Stage {
    const std::string& command;
    const CheckOptions& options;
    BoundedText printed;  // by the processes of the check that is played

    ProcessInfo facts;                    // by hello
    std::vector<std::string> part_names;  // by create
    std::vector<TickInputs> script;       // by step: a session for the usual players
    std::vector<Hashes> hashes;           // by step: before it and after each of its ticks
    bool repeatable = false;              // by same-again: these hashes come again elsewhere

    [[nodiscard]] std::uint32_t players() const { return facts.info.usual_players; }
};

/// Succeeds where what has to hold does; else the message says what came instead.
using Play = core::Result<void> (*)(Stage& stage);

/// One demand.
struct Check {
    const char* name;
    const char* expected;
    const char* advice;
    Play play;
    std::uint64_t needs = 0;  ///< verbs that the process has to offer
    bool essential = false;   ///< where it fails, nothing more is played
    bool repeatable = false;  ///< it can only be played where hashes come again
};

// The demands, by subject.
[[nodiscard]] std::vector<Check> session_checks();
[[nodiscard]] std::vector<Check> message_checks();
[[nodiscard]] std::vector<Check> error_checks();
[[nodiscard]] std::vector<Check> refusal_checks();
[[nodiscard]] std::vector<Check> look_checks();
[[nodiscard]] std::vector<Check> snapshot_checks();
[[nodiscard]] std::vector<Check> input_checks();
[[nodiscard]] std::vector<Check> end_checks();

/// What a check fails with.
[[nodiscard]] tl::unexpected<core::Error> came(std::string what);

}  // namespace isotick::harness::check
