#pragma once
// The longer requests, and what is in an answer to create.

#include "../../serve/wire.hpp"

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <span>
#include <string>
#include <vector>

namespace isotick::harness {

/// Each appends one request to `out`.
void put_create(core::Bytes& out, const isotick_setup& setup);
void put_step(core::Bytes& out, const isotick_step& step);

/// The parts' names in the body of a good answer to create.
[[nodiscard]] core::Result<std::vector<std::string>> part_names_in(std::span<const std::byte> body);

}  // namespace isotick::harness
