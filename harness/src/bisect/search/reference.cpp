#include "reference.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/harness/record.hpp>
#include <isotick/replay/reader.hpp>

namespace isotick::harness::bisect {

using core::ErrorCode;
using core::Result;

Result<void> record_reference(const JudgeOptions& options, const SimulationName& build,
                              const std::string& path) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(options.recording));
    const replay::RecordingHead& head = reader.head();
    if (!reader.indexed_ticks()) {
        return core::fail(ErrorCode::usage, options.recording +
                                                ": is unfinished; make it whole with isotick "
                                                "repair");
    }
    RecordPlan plan;
    plan.path = path;
    plan.overwrite = true;
    plan.appearance = replay::Appearance::complete;
    plan.setup = setup_of(head, options.environment);
    plan.ticks = *reader.indexed_ticks();
    plan.inputs = InputSource::recording;
    plan.recorded_inputs = options.recording;
    plan.hash_every = head.hash_every;
    plan.parts_every = head.parts_every;
    ISOTICK_TRY_ASSIGN(const auto recorded, record_in_worker(build, plan, options.worker));
    if (!recorded.error) {
        return {};
    }
    core::Error error = *recorded.error;
    error.code = ErrorCode::usage;
    error.message = "the good end cannot play the recorded inputs: " + error.message;
    return tl::unexpected(error);
}

}  // namespace isotick::harness::bisect
