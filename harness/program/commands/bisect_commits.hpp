#pragma once
// `isotick bisect commits`.

#include "../../src/bisect/bisect.hpp"
#include "bisect_options.hpp"

#include <string>
#include <vector>

namespace isotick::program {

// The options of `isotick bisect commits`, and what they mean.

struct CommitsOptions : JudgingText {
    std::string repository = ".";
    std::string good;
    std::string bad;  ///< empty: HEAD
    std::string old_end;
    std::string new_end;
    std::vector<std::string> accepted;
    std::string inputs_of;  ///< a recording, in place of `recording`
    bool first_parent = false;
    bool rebuild = false;
    std::string build;
    double build_timeout_seconds = 600;
    std::uint64_t build_memory_mib = 0;
    std::string overlay;
    std::string glue_from;
    std::vector<std::string> glue;
    std::string work;
    std::uint64_t build_jobs = 1;
    std::vector<std::string> paths;
};

void declare_commits(OptionList& list, CommitsOptions& options);

/// Makes the folder to work in where it is not there yet.
[[nodiscard]] core::Result<harness::bisect::BisectPlan> bisect_plan(const CommitsOptions& options,
                                                                    Console& console);

/// The command line that does the same again.
[[nodiscard]] std::string again(const CommitsOptions& options);

// What a search through commits came to, for people.

[[nodiscard]] std::string commits_text(const harness::bisect::BisectReport& report,
                                       const CommitsOptions& options);

/// `abc1234567  good`, while the search goes on.
[[nodiscard]] std::string visit_text(const harness::bisect::Visit& visit);

/// `2 do not build, 1 nondeterministic`: what was skipped, and why.
[[nodiscard]] std::string skipped_text(const harness::bisect::Regression& regression);

}  // namespace isotick::program
