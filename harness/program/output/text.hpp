#pragma once
// Pieces of text that several reports share.

#include "../../src/report/failure_rows.hpp"
#include "../../src/system/rows.hpp"
#include "../options/options.hpp"

#include <isotick/core/detail/field_selection.hpp>
#include <isotick/core/detail/text.hpp>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotick::program {

// Small pieces of text that several reports share.

using core::joined;
using core::printable;
using harness::counted;
using harness::grouped;
using harness::heading;
using harness::in_words;
using harness::loads_text;
using harness::paragraph;
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

// What a report says in terms of the command line.

/// How to see fields that a report does not list.
inline constexpr const char* kMoreFields = "--fields all lists all of each kind";

/// ` --loop '…'`, with a space in front; nothing for the usual loop.
[[nodiscard]] std::string loop_argument(const core::LoopOptions& loop);

/// The command that replays `plan` and ends the same way.
[[nodiscard]] std::string reproducing_command(const harness::TrialPlan& plan,
                                              const CommonOptions& options);

/// The command that verifies `recording` under the same conditions.
[[nodiscard]] std::string verifying_command(const std::string& recording,
                                            const core::Settings& environment,
                                            const CommonOptions& options);

/// Says that `shared` is an environment whose values are left out, and how to get them.
[[nodiscard]] std::string left_out_text(const core::Settings& shared);

/// The root of the trials' seeds as verify prints it and `--seed` takes it: `0x…`, 16 digits.
[[nodiscard]] std::string root_seed_text(std::uint64_t seed);

/// The command that replays `plan` in a debugger; empty where that shows nothing: of a process, and
/// of axes that need processes of their own.
[[nodiscard]] std::string debugging_command(const harness::TrialPlan& plan,
                                            const CommonOptions& options);

/// For the page on a trial that failed.
[[nodiscard]] harness::PageWords page_words(const harness::TrialPlan& plan,
                                            const std::optional<harness::Explanation>& explanation,
                                            const std::optional<harness::Shrinking>& shrinking,
                                            const CommonOptions& options);

// The fields of one state that the user wants to see.

/// What one path led to.
struct PrintedPath {
    std::string path;  ///< as the user gave it
    std::vector<core::SelectedField> fields;
    std::string missing;  ///< where there are none: why
};

/// What several paths led to in a state.
struct PrintedState {
    std::uint64_t ticks_done = 0;
    std::vector<PrintedPath> paths;
};

/// Looks through a state dump, which may be damaged.
[[nodiscard]] core::Result<PrintedState> look_up(std::span<const std::byte> dump,
                                                 const std::vector<core::FieldPattern>& paths);

/// A heading, then one line per field; empty where no path led to any.
[[nodiscard]] std::string printed_text(const PrintedState& state);

}  // namespace isotick::program
