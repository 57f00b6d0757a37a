#pragma once
// The version of this isotick.

namespace isotick::harness {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace isotick::harness
