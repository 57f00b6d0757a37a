#include "lockstep_text.hpp"

#include "../../../src/report/lockstep/lockstep_rows.hpp"
#include "../../output/report_words.hpp"

namespace isotick::program {

std::string lockstep_text(const harness::LockstepReport& report,
                          const LockstepCommandOptions& options, const std::string& reproduce,
                          const Console& console) {
    const harness::LockstepWords words{
        options.recording.empty() ? report.head.session.simulation : options.recording,
        !options.plan.empty(), kMoreFields, reproduce, peer_command(report, options)};
    return lockstep_rows(report, words) + console.headline(lockstep_word(report), report.verdict) +
           lockstep_end(report) + "\n";
}

}  // namespace isotick::program
