#include "reference.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/simulations/match.hpp>
#include <isotick/replay/reader.hpp>

#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

Result<std::uint64_t> count_ticks(replay::Reader& reader) {
    if (const auto indexed = reader.indexed_ticks()) {
        return *indexed;
    }
    std::uint64_t ticks = 0;
    while (true) {
        ISOTICK_TRY_ASSIGN(const auto* chunk, reader.next());
        if (chunk == nullptr) {
            return ticks;
        }
        ticks += chunk->ticks();
    }
}

Result<void> record_again(const JudgeOptions& options, const SimulationName& usual,
                          const std::string& path) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(options.recording));
    RecordPlan plan;
    plan.path = path;
    plan.overwrite = true;
    plan.setup = setup_of(reader.head(), options.environment);
    ISOTICK_TRY_ASSIGN(plan.ticks, count_ticks(reader));
    plan.inputs = InputSource::recording;
    plan.recorded_inputs = options.recording;
    ISOTICK_TRY_ASSIGN(const auto recorded, record_in_worker(usual, plan, options.worker));
    return recorded.error ? tl::unexpected(*recorded.error) : Result<void>();
}

tl::unexpected<core::Error> unusable(const Judgement& judgement) {
    return core::fail(ErrorCode::usage,
                      std::string("the usual build cannot be the reference: it ") +
                          to_string(judgement.finding) + (judgement.reason.empty() ? "" : ": ") +
                          judgement.reason);
}

}  // namespace

Result<Reference> find_reference(const JudgeOptions& options, const SimulationName& usual,
                                 const std::string& again) {
    JudgeOptions against = options;
    ISOTICK_TRY_ASSIGN(const auto recorded, Judge::make(options));
    ISOTICK_TRY_ASSIGN(const auto judgement, recorded.judge(usual));
    const bool differs = judgement.finding == Finding::diverged;
    if (!differs && judgement.finding != Finding::identical) {
        return unusable(judgement);
    }
    if (differs) {
        ISOTICK_TRY(record_again(options, usual, again));
        against.recording = again;
        ISOTICK_TRY_ASSIGN(const auto own, Judge::make(against));
        ISOTICK_TRY_ASSIGN(const auto repeated, own.judge(usual));
        if (repeated.finding != Finding::identical) {
            return unusable(repeated);
        }
    }
    against.good = usual;
    return Judge::make(std::move(against)).map([&](Judge&& judge) {
        return Reference{std::move(judge), differs};
    });
}

}  // namespace isotick::harness::bisect
