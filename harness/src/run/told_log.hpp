#pragma once
// Turns what a simulation notes of its own writes (ISOTICK_NOTES_WRITES) into a WriteLog, the form
// in which watched memory is logged.

#include "state_writes.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace isotick::harness {

/// Takes only the fields in `part`, or all if it is empty. Fails with `damaged` if it is not as
/// harness/PROTOCOL.md says.
[[nodiscard]] core::Result<WriteLog> write_log_of(std::span<const std::byte> told,
                                                  const std::string& part);

}  // namespace isotick::harness
