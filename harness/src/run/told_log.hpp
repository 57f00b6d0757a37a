#pragma once
// What a simulation that notes its own writes (ISOTICK_NOTES_WRITES) tells of them, as a log like
// that of watched memory.

#include "state_writes.hpp"

#include <isotick/core/result.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace isotick::harness {

/// Reads what note_writes wrote. Only the fields in `part` are taken; empty: all. Fails with
/// `damaged` if it is not as harness/PROTOCOL.md says.
[[nodiscard]] core::Result<WriteLog> write_log_of(std::span<const std::byte> told,
                                                  const std::string& part);

}  // namespace isotick::harness
