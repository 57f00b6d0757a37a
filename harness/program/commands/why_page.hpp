#pragma once
// The page of `isotick why`: what fails, the cause, where to look.

#include "../../src/report/field_rows.hpp"
#include "minimize.hpp"
#include "verify_setup.hpp"

#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/verify.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

// What kind of thing makes a session fail, and what that means to whoever has to mend it.

enum class WhyCause {
    nothing,       ///< no trial failed
    blind_spot,    ///< nor did any, but hash or snapshot miss something
    frames,        ///< when frames come
    going_back,    ///< a snapshot that was loaded
    axis,          ///< a setting that must not matter
    changing_dt,   ///< a loop that changes dt
    build,         ///< another build is known to reproduce it
    elsewhere,     ///< the nominal replay fails, and no other cause was found
    how_recorded,  ///< the recording was driven otherwise than it is replayed
    chance,        ///< each run may end otherwise
    crash,
    hang,
    unreadable,
    nothing_shown,  ///< inconclusive
};

/// `shown`: the trial that the report explains; null where none failed.
[[nodiscard]] WhyCause cause_of(const harness::VerifyReport& report,
                                const harness::FailedTrial* shown);

/// One sentence, without the recording's name.
[[nodiscard]] std::string title_of(WhyCause cause);
// One page on why a recording is not reproduced, for somebody who has not used isotick before.

/// A command for a shell, and what it is good for.
struct Advice {
    std::string purpose;
    std::string command;
};

/// The purpose of the command that shows the failure.
inline constexpr const char* kSeeAgain = "see it again";

struct WhyPage {
    std::string recording;
    harness::Verdict verdict = harness::Verdict::identical;
    WhyCause cause = WhyCause::nothing;
    std::string title;                       ///< the answer in one sentence
    std::vector<harness::PageRow> findings;  ///< from what happened to where to look
    std::vector<Advice> commands;            ///< to see it again, and to go on
    std::vector<harness::PageRow> versions;  ///< of what ran here
    std::optional<Minimized> smaller;        ///< the smallest session that fails alike
    std::string details;                     ///< the report with all that -v adds
};

/// What verify found out, told. `smaller` was written to the file `smallest`, if it was. The
/// `environment` is what the options say, or what others may get to see of it.
[[nodiscard]] WhyPage make_page(const harness::VerifyReport& report,
                                const VerifyCommandOptions& options,
                                const core::Settings& environment,
                                const std::optional<Minimized>& smaller,
                                const std::string& smallest);

/// `details`: with those.
[[nodiscard]] std::string page_text(const WhyPage& page, bool details);
[[nodiscard]] std::string page_markdown(const WhyPage& page);
[[nodiscard]] std::string page_json(const WhyPage& page);

}  // namespace isotick::program
