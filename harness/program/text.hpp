#pragma once
// Small pieces of text that several reports share.

#include "../src/report/rows.hpp"

#include <isotick/core/joined.hpp>

#include <string>
#include <string_view>

namespace isotick::program {

using core::joined;
using harness::counted;
using harness::grouped;
using harness::in_words;
using harness::row;
using harness::session_line;
using harness::ticks_per_frame;

/// `'text'`, safe to paste into a shell; as it is where it needs no quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// ` (all NaNs alike)` where the policy is not the usual one.
[[nodiscard]] std::string nans_text(std::string_view policy);

/// What a simulation printed, indented under a heading, for stderr.
[[nodiscard]] std::string printed_output(std::string_view whose, std::string_view output);

}  // namespace isotick::program
