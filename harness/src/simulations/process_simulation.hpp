#pragma once
// A simulation in a process of its own: its info, its instances, its table.

#include "connection.hpp"

#include <isotick/core/plugin.h>

#include <string>

namespace isotick::harness {

// What a process says about itself in answer to hello.

/// The texts that an isotick_info points into. Not movable: pointers into it are given away.
struct ProcessInfo {
    std::string name;
    std::string summary;
    std::string hash_algorithm;
    std::string config_help;
    std::string build_id;
    std::string nan_policy;
    std::uint64_t verbs = 0;
    isotick_info info{};

    ProcessInfo() = default;
    ProcessInfo(const ProcessInfo&) = delete;
    ProcessInfo& operator=(const ProcessInfo&) = delete;

    [[nodiscard]] bool answers(Verb verb) const { return (verbs & bit_of(verb)) != 0; }
};

/// Appends a hello to what `connection` sends.
void request_hello(Connection& connection);

/// Takes the answer to a hello into `info`. Fails with `simulation` and what is wrong with it, with
/// `usage` where the command cannot be run.
[[nodiscard]] core::Result<void> receive_hello(Connection& connection, ProcessInfo& info,
                                               Connection::Patience patience = std::nullopt);

/// The error for an answer that is not ok: with the message of the process, for `bad settings` with
/// code `usage`.
[[nodiscard]] core::Result<void> check_answer(const Answer& answer);

}  // namespace isotick::harness
