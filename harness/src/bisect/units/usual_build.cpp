#include "usual_build.hpp"

#include "../search/reference.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

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
        ISOTICK_TRY(record_reference(options, usual, again));
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
