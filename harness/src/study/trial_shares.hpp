#pragma once
// The trials of one recording, shared among several machines, and the report on all of them.

#include <isotick/core/result.hpp>
#include <isotick/harness/verify.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace isotick::harness {

/// The report on all trials from those on the shares, one for each in the order of their numbers,
/// which have the same recording, seed and options. Trial 0 counts once. Nothing is run for it: a
/// failure keeps what its share has found out about it.
[[nodiscard]] VerifyReport whole_of(std::vector<VerifyReport> shares);

/// A report as bytes, for report_from_bytes of the same build. Of its failures these have no more
/// than number, verdict, and whether the trial diverged.
[[nodiscard]] std::string report_to_bytes(const VerifyReport& report);

/// Fails with ErrorCode::damaged where report_to_bytes cannot have written them.
[[nodiscard]] core::Result<VerifyReport> report_from_bytes(std::string_view bytes);

}  // namespace isotick::harness
