#pragma once
// Which parts of two states differ.

#include <isotick/core/hash.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// The names of the parts whose hashes differ; none of those that a side does not have.
[[nodiscard]] std::vector<std::string> differing_parts(const std::vector<std::string>& names,
                                                       const std::vector<core::PartHash>& a,
                                                       const std::vector<core::PartHash>& b);

}  // namespace isotick::harness
