#include "../system/files.hpp"
#include "shrink.hpp"
#include "shrink_inputs.hpp"
#include "shrink_trials.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/harness/detail/minimize.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>
#include <isotick/replay/writer.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::ErrorCode;
using core::Result;

// How many ticks are done after each frame of a plan, up to tick `until`.
Result<std::vector<std::uint64_t>> ticks_after_frames(const TrialPlan& plan, core::TickRate rate,
                                                      core::Tick until) {
    constexpr std::uint64_t kMostFrames = 100'000'000;
    ISOTICK_TRY_ASSIGN(auto loop, core::Loop::make(rate, plan.drive.loop));
    core::FrameSource frames = plan.drive.schedule.frames(rate);
    std::vector<std::uint64_t> after;
    std::uint64_t ticks = 0;
    while (ticks <= until.value && after.size() < kMostFrames) {
        ticks += loop.advance(frames.next()).plan.ticks;
        after.push_back(ticks);
    }
    return after;
}

/// Runs both sides of one candidate after the other.
class TwoSides {
  public:
    TwoSides(const FailingSides& sides, std::vector<std::uint64_t> reference_frames,
             std::vector<std::uint64_t> failing_frames, std::string hashes)
        : sides_(sides),
          reference_frames_(std::move(reference_frames)),
          failing_frames_(std::move(failing_frames)),
          hashes_(std::move(hashes)) {}

    Result<RanCandidate> run(const InputCandidate& candidate) const {
        const TrialPlan reference = plan(sides_.reference, candidate, HashFile::Use::write);
        ISOTICK_TRY_ASSIGN(
            const auto right,
            sides_.run_reference(reference, frames(candidate.checkpoints, reference_frames_)));
        RanCandidate ran{std::nullopt, right.ticks_run};
        if (right.result.verdict != Verdict::identical) {
            return ran;
        }
        const TrialPlan failing = plan(sides_.failing, candidate, HashFile::Use::compare);
        ISOTICK_TRY_ASSIGN(
            const auto wrong,
            sides_.run_failing(failing, frames(candidate.checkpoints, failing_frames_)));
        ran.ticks_spent += wrong.ticks_run;
        if (fails_alike(wrong.result, sides_.failed)) {
            ran.diverged_at = failed_step(wrong.result);
        }
        return ran;
    }

  private:
    [[nodiscard]] TrialPlan plan(TrialPlan plan, const InputCandidate& candidate,
                                 HashFile::Use use) const {
        plan.keep_diverged_state = false;
        plan.inputs = candidate.edits;
        plan.until = candidate.until;
        plan.hashes = HashFile{hashes_, use};
        return plan;
    }

    // How many whole frames lie in front of each of those ticks.
    static std::vector<std::uint64_t> frames(const std::vector<std::uint64_t>& ticks,
                                             const std::vector<std::uint64_t>& after) {
        std::vector<std::uint64_t> frames;
        for (const std::uint64_t tick : ticks) {
            frames.push_back(static_cast<std::uint64_t>(
                std::upper_bound(after.begin(), after.end(), tick) - after.begin()));
        }
        return frames;
    }

    const FailingSides& sides_;
    std::vector<std::uint64_t> reference_frames_;
    std::vector<std::uint64_t> failing_frames_;
    std::string hashes_;
};

FewerInputs fewer_inputs(const ShrunkInputs& shrunk) {
    FewerInputs fewer{.edits = shrunk.edits,
                      .kept = {},
                      .diverged_at = shrunk.diverged_at,
                      .trials = shrunk.effort.trials,
                      .ticks = shrunk.effort.ticks,
                      .unfinished = unfinished(shrunk.effort)};
    for (const InputCell& cell : shrunk.kept) {
        fewer.kept.push_back({cell.tick, cell.player});
    }
    std::ranges::stable_sort(fewer.kept, {}, &KeptInput::tick);
    return fewer;
}

// The ticks to keep: up to `last`, and on to one at which all parts are stored.
Result<void> copy_ticks(replay::RecordedTicks& ticks, replay::Writer& writer, core::Tick last,
                        std::size_t parts) {
    while (true) {
        ISOTICK_TRY_ASSIGN(const auto more, ticks.advance());
        if (!more) {
            return core::fail(ErrorCode::damaged,
                              "no tick after the divergence has the hashes of all parts");
        }
        const auto stored = ticks.state_hash();
        const replay::TickHashes hashes{stored.value_or(core::StateHash{}), ticks.part_hashes()};
        ISOTICK_TRY(writer.append(ticks.inputs(), stored ? &hashes : nullptr, ticks.dt()));
        const bool whole = stored && (parts <= 1 || hashes.parts.size() == parts);
        if (whole && ticks.tick() >= last) {
            return writer.finish(hashes);
        }
    }
}

}  // namespace

Result<FewerInputs> shrink_inputs_of(const FailingSides& sides, core::Tick diverged_at,
                                     const ShrinkInputsOptions& options) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(sides.failing.recording));
    const replay::SessionInfo session = reader.head().session;
    auto reference_frames = ticks_after_frames(sides.reference, session.rate, diverged_at);
    auto failing_frames = ticks_after_frames(sides.failing, session.rate, diverged_at);
    const auto hashes = SharedFile::make();
    if (!reference_frames || !failing_frames || !hashes) {
        return tl::unexpected(!reference_frames ? reference_frames.error()
                              : !failing_frames ? failing_frames.error()
                                                : hashes.error());
    }
    const TwoSides two(sides, *std::move(reference_frames), *std::move(failing_frames),
                       hashes->path());
    RecordedCells cells(std::move(reader));
    const ShrinkLimits limits{.most_ticks = options.most_ticks != 0
                                                ? options.most_ticks
                                                : kUsualInputReplays * (diverged_at.value + 1),
                              .stop = options.stop};
    return fewer_inputs(shrink_inputs(
        {.players = session.players,
         .diverged_at = diverged_at,
         .recorded = [&cells](const InputCell& cell) { return cells.at(cell); },
         .variants = plainer_inputs},
        [&two](const InputCandidate& candidate) { return two.run(candidate); }, limits));
}

Result<std::uint64_t> cut_session(const CutSession& cut) {
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(cut.from));
    replay::RecordingHead head = reader.head();
    ISOTICK_TRY(head.notes.set(cut.note_key, cut.note));
    ISOTICK_TRY_ASSIGN(auto writer,
                       replay::Writer::create(cut.to, head, reader.initial(),
                                              {cut.overwrite, replay::Appearance::complete}));
    replay::RecordedTicks ticks(reader);
    return copy_ticks(ticks, writer, cut.last, head.part_names.size()).map([&] {
        return writer.ticks();
    });
}

}  // namespace isotick::harness
