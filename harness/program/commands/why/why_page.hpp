#pragma once
// One page on why a recording is not reproduced, for somebody who has not used isotick before.

#include "../minimize/minimize_report.hpp"
#include "../verify/verify_setup.hpp"
#include "why_causes.hpp"

#include <isotick/harness/detail/verdict.hpp>
#include <isotick/harness/verify.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

/// A question that the page answers, in a word or two, and the answer.
struct Finding {
    std::string question;
    std::string answer;
};

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
    std::string title;                 ///< the answer in one sentence
    std::vector<Finding> findings;     ///< from what happened to where to look
    std::vector<Advice> commands;      ///< to see it again, and to go on
    std::vector<Finding> versions;     ///< of what ran here
    std::optional<Minimized> smaller;  ///< the smallest session that fails alike
    std::string details;               ///< the rows of the report
};

/// What verify found out, told. `smaller` was written to the file `smallest`, if it was. The
/// `environment` is what the options say, or what others may get to see of it.
[[nodiscard]] WhyPage make_page(const harness::VerifyReport& report,
                                const VerifyCommandOptions& options,
                                const core::Settings& environment,
                                const std::optional<Minimized>& smaller,
                                const std::string& smallest);

[[nodiscard]] std::string page_text(const WhyPage& page);
[[nodiscard]] std::string page_markdown(const WhyPage& page);
[[nodiscard]] std::string page_json(const WhyPage& page);

}  // namespace isotick::program
