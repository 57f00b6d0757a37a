#pragma once
// Inputs that mean something to the process that is checked.

#include "stage.hpp"

namespace isotick::harness::check {

/// Replaces the inputs of every other tick of the script by random ones of the type that the
/// process describes, where it describes any. Leaves the script as it is where it answers wrongly:
/// which is another check's finding.
void add_typed_inputs(Stage& stage);

}  // namespace isotick::harness::check
