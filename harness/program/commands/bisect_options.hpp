#pragma once
// Options that the commands of `isotick bisect` share.

#include "../../src/bisect/expectation.hpp"
#include "../../src/bisect/judge.hpp"
#include "../command/option_list.hpp"
#include "../options/options.hpp"

#include <isotick/core/result.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::program {

// The folder in which a bisection keeps what it builds.

/// The folder `given` with --work, made where it is not there yet; where none is given, one in the
/// user's cache for `place`, a path: of a repository, or whatever else is built.
[[nodiscard]] core::Result<std::string> make_work_folder(const std::string& given,
                                                         const std::string& place);

// What the commands of `bisect` that replay have in common.

struct JudgingText : CommonOptions {
    std::string recording;
    std::string drive;  ///< in one line; empty: as the recording says, else nominal
    std::string expect;
    std::vector<std::string> only;    ///< fields that count
    std::vector<std::string> ignore;  ///< fields that do not
    std::string fields;  ///< how many to list: a number or `all`; empty: as many as is usual
};

/// Declares them, but for the simulation.
void add_judging(OptionList& list, JudgingText& text);

/// Those of them that say how to replay, and not what is looked for.
void add_replaying(OptionList& list, JudgingText& text);

/// What is looked for; none where nothing is said.
[[nodiscard]] core::Result<std::optional<harness::bisect::Expectation>> expect_option(
    const std::string& text);

/// How the recording is to be replayed. Reads what it says of that.
[[nodiscard]] core::Result<harness::bisect::JudgeOptions> judge_options(const JudgingText& text,
                                                                        Console& console);

}  // namespace isotick::program
