#pragma once
// Small pieces of text that several reports share.

#include "../../src/report/rows.hpp"

#include <isotick/core/detail/text/joined.hpp>
#include <isotick/core/detail/text/printable.hpp>

#include <string>
#include <string_view>

namespace isotick::program {

using core::joined;
using core::printable;
using harness::counted;
using harness::grouped;
using harness::heading;
using harness::in_words;
using harness::loads_text;
using harness::row;
using harness::session_line;
using harness::ticks_per_frame;

/// `'text'`, safe to paste into a shell; as it is where it needs no quotes. What a terminal should
/// not see is spelled out, as in `$'w\xff'`, which not every shell takes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// `'text'`, for /bin/sh to run, whatever bytes there are.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// ` (all NaNs alike)` where the policy is not the usual one.
[[nodiscard]] std::string nans_text(std::string_view policy);

}  // namespace isotick::program
