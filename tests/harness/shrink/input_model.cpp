#include "input_model.hpp"

#include <utility>

namespace isotick::harness::tests {
namespace {

constexpr std::size_t kMostInputCheckpoints = 12;  // pairs of processes

}  // namespace

Bytes bytes_of(const isotick_input& input) {
    return {input.data, input.data + input.size};
}

core::Result<RanCandidate> InputModelRunner::operator()(const InputCandidate& candidate) {
    while (!checkpoints_.empty() &&
           cut_before(candidate.edits, core::Tick{checkpoints_.back().run.ticks}) !=
               checkpoints_.back().edits) {
        checkpoints_.pop_back();
    }
    Run run = checkpoints_.empty() ? Run{InputEditor::make({}, session_.players).value()}
                                   : checkpoints_.back().run;
    if (auto taken = run.editor.continue_with(candidate.edits); !taken) {
        return tl::unexpected(taken.error());
    }
    const std::uint64_t before = run.ticks;
    for (const std::uint64_t checkpoint : candidate.checkpoints) {
        if (checkpoint <= run.ticks || checkpoint > candidate.until.value) {
            continue;
        }
        advance(run, checkpoint);
        if (run.diverged_at) {
            break;
        }
        checkpoints_.push_back({cut_before(candidate.edits, core::Tick{checkpoint}), run});
        if (checkpoints_.size() > kMostInputCheckpoints) {
            checkpoints_.erase(checkpoints_.begin());
        }
    }
    advance(run, candidate.until.value + 1);
    return RanCandidate{run.diverged_at, 2 * (run.ticks - before)};
}

void InputModelRunner::advance(Run& run, std::uint64_t ticks) const {
    for (; run.ticks < ticks && !run.diverged_at; ++run.ticks) {
        std::vector<std::optional<Bytes>> cells;
        std::vector<isotick_input> recorded;
        for (std::size_t column = 0; column <= session_.players; ++column) {
            cells.push_back(session_.recorded(column, run.ticks));
        }
        for (std::size_t column = 0; column <= session_.players; ++column) {
            const bool world = column == session_.players;
            const Bytes* bytes = cells[column] ? &*cells[column] : nullptr;
            recorded.push_back({world ? ISOTICK_WORLD : static_cast<std::uint32_t>(column),
                                bytes != nullptr ? 1U : 0U, bytes != nullptr ? bytes->size() : 0,
                                bytes != nullptr ? bytes->data() : nullptr});
        }
        const auto inputs = run.editor.apply(core::Tick{run.ticks}, recorded);
        if (session_.fault(run.memory, run.ticks, inputs)) {
            run.diverged_at = core::Tick{run.ticks};
        }
    }
}

std::optional<core::Tick> divergence_of(const InputSession& session, const InputEdits& edits,
                                        std::uint64_t ticks) {
    InputModelRunner runner(session);
    return runner({edits, core::Tick{ticks - 1}, {}}).value().diverged_at;
}

}  // namespace isotick::harness::tests
