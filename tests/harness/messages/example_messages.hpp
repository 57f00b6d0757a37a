#pragma once
// Messages of every kind between processes, with something in all their lists and options.

#include "run/job.hpp"

#include <vector>

namespace isotick::tests {

/// A trial, a recording, a probe, a question for facts, a trial to hold, one to drop.
[[nodiscard]] std::vector<harness::Job> example_jobs();

/// An error, a trial that waits, and the results of a trial, a recording, a probe and a question.
[[nodiscard]] std::vector<harness::Response> example_responses();

}  // namespace isotick::tests
