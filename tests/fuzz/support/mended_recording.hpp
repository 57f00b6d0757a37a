#pragma once
// Recordings that a fuzzer made: lengths, checksums and digests mended, so that it reaches what
// stands behind them.

#include "fuzz_target.hpp"

#include <format/bytes.hpp>

namespace isotick::fuzz {

/// The recording that `input` stands for. Its first byte says what is mended: of the bits, 1 means
/// nothing at all, 2 not the digests, 4 not the tail, 8 not the chunks' first ticks. Then 0x10 and
/// 0x20 each take three bytes more: where a byte of the result is damaged, and by which bits; 0x40
/// takes two: where the result is cut. All that follows is the recording, told apart into chunks by
/// its sync markers.
[[nodiscard]] replay::Bytes mended_recording(Input input);

}  // namespace isotick::fuzz
