#include "later_parts.hpp"

#include "../axes/axes.hpp"
#include "../run/verdict.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <array>
#include <optional>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

struct StoredParts {
    std::uint64_t ticks_done = 0;
    std::vector<core::PartHash> hashes;
};

// The first after so many ticks, within what can be read.
Result<std::optional<StoredParts>> next_stored(replay::Reader& reader, std::uint64_t ticks_done) {
    replay::RecordedTicks ticks(reader);
    while (true) {
        ISOTICK_TRY_ASSIGN(const bool more, ticks.advance());
        if (!more) {
            return std::nullopt;
        }
        const std::uint64_t done = ticks.tick().value + 1;
        const auto parts = ticks.part_hashes();
        if (done > ticks_done && !parts.empty()) {
            return StoredParts{done, {parts.begin(), parts.end()}};
        }
    }
}

bool only_goes_forward(const TrialPlan& plan) {
    return !have_course(plan.drive.axes) && !plan.course && plan.inputs.empty() &&
           plan.drive.loop.kind != core::LoopKind::reversible;
}

}  // namespace

Result<void> find_later_parts(const TrialPlan& plan, const TrialResult& result,
                              const TrialRunner& run, Explanation& explanation) {
    const bool are_known = !explanation.parts.empty() ||
                           !result.divergence->recorded_parts.empty() ||
                           explanation.disagreement.has_value();
    if (are_known || !only_goes_forward(plan)) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan.recording));
    const replay::RecordingHead& head = reader.head();
    if (head.parts_every == 0 || head.part_names.size() < 2) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto stored, next_stored(reader, explanation.ticks_done));
    if (!stored) {
        return {};
    }
    TrialPlan further = plan;
    further.keep_diverged_state = false;
    further.most_steps = 0;
    further.trace = StateRange{stored->ticks_done, stored->ticks_done};
    ISOTICK_TRY_ASSIGN(const auto results, run(std::array{further}, Isolation::forked));
    for (const StateRecord& state : results.front().trace) {
        LaterParts later{stored->ticks_done,
                         differing_parts({head.part_names, stored->hashes},
                                         {results.front().part_names, state.parts})};
        if (!later.parts.empty()) {  // else the state agrees there, or this run did not diverge
            explanation.later_parts = std::move(later);
        }
    }
    return {};
}

}  // namespace isotick::harness
