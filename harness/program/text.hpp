#pragma once
// Small pieces of text that several reports share.

#include <isotick/core/joined.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/recording_head.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

/// `  name        value` and a line feed; nothing where the value is empty.
[[nodiscard]] std::string row(std::string_view name, std::string_view value);

/// `3,600`.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// `1 tick`, `3,600 ticks`.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// `1 tick per frame`, `0 to 15 ticks per frame`.
[[nodiscard]] std::string ticks_per_frame(const harness::TrialStatistics& statistics);

using core::joined;

/// `timed out`: the verdict as it stands in a sentence.
[[nodiscard]] std::string in_words(harness::Verdict verdict);

/// `'text'`, safe to paste into a shell; as it is where it needs no quotes.
[[nodiscard]] std::string shell_word(std::string_view text);

/// `skirmish, 4 players, 3,600 ticks at 60hz, seed 1, units=1000`.
[[nodiscard]] std::string session_line(const replay::SessionInfo& session, std::uint64_t ticks);

/// ` (all NaNs alike)` where the policy is not the usual one.
[[nodiscard]] std::string nans_text(std::string_view policy);

/// What a simulation printed, indented under a heading, for stderr.
[[nodiscard]] std::string printed_output(std::string_view whose, std::string_view output);

}  // namespace isotick::program
