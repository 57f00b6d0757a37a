// Reports for people: what stdout shows, and report.txt.

#include "../../src/report/replay_text.hpp"
#include "../output/report_words.hpp"
#include "reporter.hpp"
#include "verify_text.hpp"

namespace isotick::program {
namespace {

std::string replay_text(const Replayed& replayed, const ReplayOptions& options,
                        const Console& console) {
    return replay_rows(replayed,
                       report_words(replayed.plan, replayed.explanation, std::nullopt, options)) +
           console.verdict(replayed.result.verdict) + where_diverged(replayed) + "\n" +
           (replayed.printed ? printed_text(*replayed.printed) : "");
}

}  // namespace

extern const Reporter kTextReporter;
const Reporter kTextReporter{"report.txt", verify_text, replay_text};

}  // namespace isotick::program
