#pragma once
// From what a verification has found to its verdict.

#include <isotick/harness/verify.hpp>

namespace isotick::harness {

/// Sets verdict and reasons by the failures, the totals and the grounds. One share of the trials is
/// not asked whether the trials could have shown anything: only all of them together can tell.
void judge_by_grounds(VerifyReport& report);

}  // namespace isotick::harness
