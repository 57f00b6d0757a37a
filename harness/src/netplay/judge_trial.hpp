#pragma once
// The verdict on one netplay session.

#include "run.hpp"

namespace isotick::harness::netplay {

/// Says what the session, and the recordings of its peers, amount to. Fails where a recording can't
/// be replayed offline with the simulation of `options`.
[[nodiscard]] core::Result<void> judge_trial(NetplayTrial& trial, const NetplayOptions& options);

}  // namespace isotick::harness::netplay
