#pragma once
// A type of which no debug information tells.

#include <cstdint>

namespace isotick::harness::testing {

/// Its name and its size.
const char* undocumented_type();
std::uint64_t undocumented_size();

}  // namespace isotick::harness::testing
