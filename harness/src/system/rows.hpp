#pragma once
// The small pieces that reports are made of.

#include <isotick/harness/trial.hpp>
#include <isotick/replay/compare.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace isotick::harness {

/// What a report is about, printable, and a line feed.
[[nodiscard]] std::string heading(std::string_view text);

/// `  name        value` and a line feed; nothing where the value is empty. Name and value are made
/// printable: whatever a recording or a simulation says stays within its row.
[[nodiscard]] std::string row(std::string_view name, std::string_view value);

/// The same in lines of at most 100 columns, broken at spaces; the value keeps its column.
[[nodiscard]] std::string paragraph(std::string_view name, std::string_view value);

/// Text between tags, or in quotes. What XML cannot hold, or would read as its own, is escaped.
[[nodiscard]] std::string xml_escaped(std::string_view text);

/// `3,600`.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// `1 tick`, `3,600 ticks`.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// `3.250 s`.
[[nodiscard]] std::string seconds_text(std::int64_t ns);

/// `01 ff`, `absent`, `empty`; of a long one the beginning, and how long it is.
[[nodiscard]] std::string input_text(const replay::InputBytes& input);

/// What is not the same in two sessions: `the seed`, `the input of player 1`, `the dt`.
[[nodiscard]] std::string what_differs(const replay::SessionDifference& difference);

/// `1 tick per frame`, `0 to 15 ticks per frame`.
[[nodiscard]] std::string ticks_per_frame(const TrialStatistics& statistics);

/// `412, 1 to 15 ticks back, 87% of ticks run again`, or `none`; nothing where there were none and
/// none of the loops goes back in time.
[[nodiscard]] std::string loads_text(const TrialStatistics& statistics,
                                     std::span<const core::LoopOptions> loops);

/// `timed out`: the verdict as it stands in a sentence.
[[nodiscard]] std::string in_words(Verdict verdict);

/// `TIMED-OUT`: any word as it stands at a report's end.
[[nodiscard]] std::string in_capitals(std::string_view word);

/// `skirmish, 4 players, 3,600 ticks at 60hz, seed 1, units=1000`.
[[nodiscard]] std::string session_line(const replay::SessionInfo& session, std::uint64_t ticks);

}  // namespace isotick::harness
