#pragma once
// Messages of harness/PROTOCOL.md that a fuzzer made.

#include "fuzz_target.hpp"

#include <isotick/core/detail/bytes.hpp>

namespace isotick::fuzz {

/// Appends each message in `input` to `out` with its size mended: a byte for the kind, two for the
/// length of the body, the body.
void put_messages(core::Bytes& out, Input input);

}  // namespace isotick::fuzz
