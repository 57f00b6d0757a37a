#pragma once
// A run of `isotick lockstep` in words.

#include <isotick/harness/lockstep.hpp>

#include <string>
#include <string_view>

namespace isotick::harness {

/// What a report says that only its caller knows.
struct LockstepWords {
    std::string title;        ///< the recording, or what it is of
    bool one_plan = false;    ///< the trial was asked for as it is; else trials were drawn
    std::string more_fields;  ///< how to see fields that are not listed
    std::string reproduce{};  ///< the command that runs the shown trial again; empty: none
    std::string one_peer{};   ///< that runs the peer that diverged, alone; empty: none
};

/// `agreed`, or the verdict.
[[nodiscard]] std::string lockstep_word(const LockstepReport& report);
/// The report. `verdict`: how to print lockstep_word.
[[nodiscard]] std::string lockstep_text(const LockstepReport& report, const LockstepWords& words,
                                        std::string_view verdict);

}  // namespace isotick::harness
