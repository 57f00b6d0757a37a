#include "why_causes.hpp"

#include <isotick/core/loops.hpp>

namespace isotick::program {

using harness::RecordedAgain;
using harness::Verdict;

namespace {

// The nominal replay fails: no schedule is to blame.
WhyCause nominal_cause(const harness::Explanation& explanation) {
    if (explanation.only_as_recorded) {
        return WhyCause::how_recorded;
    }
    if (explanation.recorded_side_runs) {
        return WhyCause::build;
    }
    const auto again =
        explanation.nominal ? explanation.nominal->recorded_again : RecordedAgain::untried;
    return again == RecordedAgain::as_before || again == RecordedAgain::as_before_by_bot
               ? WhyCause::how_recorded
               : WhyCause::elsewhere;
}

WhyCause diverged_cause(const harness::FailedTrial& shown) {
    const harness::Drive& drive = shown.plan.drive;
    if (shown.explanation && !shown.explanation->provoking_axes.empty()) {
        return WhyCause::axis;
    }
    if (drive.has_nominal_frames()) {
        return shown.explanation ? nominal_cause(*shown.explanation) : WhyCause::elsewhere;
    }
    if (!core::info_of(drive.loop.kind).constant_dt) {
        return WhyCause::changing_dt;
    }
    return shown.explanation && shown.explanation->rerun ? WhyCause::going_back : WhyCause::frames;
}

}  // namespace

WhyCause cause_of(const harness::VerifyReport& report, const harness::FailedTrial* shown) {
    switch (report.verdict) {
        case Verdict::identical:
            return report.blind_spots.empty() ? WhyCause::nothing : WhyCause::blind_spot;
        case Verdict::diverged:
            return shown != nullptr ? diverged_cause(*shown) : WhyCause::elsewhere;
        case Verdict::nondeterministic:
            return WhyCause::chance;
        case Verdict::crashed:
            return WhyCause::crash;
        case Verdict::timed_out:
            return WhyCause::hang;
        case Verdict::unreadable:
            return WhyCause::unreadable;
        case Verdict::stalled:
        case Verdict::inconclusive:
            break;
    }
    return WhyCause::nothing_shown;
}

std::string title_of(WhyCause cause) {
    switch (cause) {
        case WhyCause::nothing:
            return "Nothing fails: every trial gives the recorded bits";
        case WhyCause::blind_spot:
            return "Nothing fails, but hash or snapshot miss part of the state";
        case WhyCause::frames:
            return "The bits depend on when frames come";
        case WhyCause::going_back:
            return "Loading a snapshot does not bring the whole state back";
        case WhyCause::axis:
            return "The bits depend on something that must not matter";
        case WhyCause::changing_dt:
            return "The loop changes dt, and the bits with it";
        case WhyCause::build:
            return "This build computes other bits than the one that recorded";
        case WhyCause::elsewhere:
            return "This build, or this machine, computes other bits than were recorded";
        case WhyCause::how_recorded:
            return "It was recorded in another way than it is replayed";
        case WhyCause::chance:
            return "The bits change from run to run, with nothing changed";
        case WhyCause::crash:
            return "The simulation crashes";
        case WhyCause::hang:
            return "The simulation hangs";
        case WhyCause::unreadable:
            return "The recording is damaged";
        case WhyCause::nothing_shown:
            return "The trials prove nothing";
    }
    return "";
}

std::string meaning_of(WhyCause cause) {
    switch (cause) {
        case WhyCause::frames:
            return "Inputs and ticks are the same in all trials. Only the times of the frames "
                   "differ, which a deterministic simulation does not notice.";
        case WhyCause::going_back:
            return "The tick gave the recorded bits the first time. Then the loop went back by a "
                   "snapshot, as rollback does, and the same tick gave others.";
        case WhyCause::axis:
            return "Without it, the same trial gives the recorded bits.";
        case WhyCause::changing_dt:
            return "That is what such a loop does to a simulation that uses dt. For the same bits "
                   "at any frame rate, choose a loop with a constant dt.";
        case WhyCause::build:
            return "Both builds played the same inputs under the same schedule here.";
        case WhyCause::elsewhere:
            return "Even the nominal schedule, one tick per frame, gives other bits. So no frame "
                   "times are to blame.";
        case WhyCause::chance:
            return "The same trial in two processes ends differently. So it reads something that "
                   "is not part of its state or inputs.";
        default:
            return "";
    }
}

std::string where_to_look(WhyCause cause, const harness::HostCalls& calls) {
    switch (cause) {
        case WhyCause::frames: {
            const char* what = calls.begin_frame && calls.render ? "begin_frame and render"
                               : calls.render                    ? "render"
                                                                 : "begin_frame";
            return std::string(what) +
                   ", since nothing else runs between ticks: whatever there changes the fields "
                   "above, or something that step reads, such as a random generator, a position "
                   "moved for the screen, or a frame time that is kept.";
        }
        case WhyCause::going_back:
            return "What save leaves out and what load does not recompute: caches, "
                   "statics, members that serialize does not visit. isotick audit names them.";
        case WhyCause::build:
        case WhyCause::elsewhere:
            return "What changed between the two: code, compiler, flags such as "
                   "-ffast-math or -march, libraries, data files.";
        case WhyCause::chance:
            return "Uninitialized memory, addresses used as keys or for an order, "
                   "unordered containers, clocks, random devices, and threads that race.";
        case WhyCause::blind_spot:
            return "What is named above: add it to serialize (or to the hash), or compute it again "
                   "in each tick.";
        default:
            return "";
    }
}

}  // namespace isotick::program
