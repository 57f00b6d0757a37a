#include "memory_reset.hpp"

#include "../probes/future.hpp"
#include "../probes/object_memory.hpp"
#include "../probes/scene_answers.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint64_t kMostResetLooks = 128;
constexpr std::size_t kMostResets = 3;
constexpr std::size_t kMostSuspects = 8;

// Looks at the ranges of the suspects every few ticks.
Result<std::vector<WatchedRange>> watch_reset(Stage& stage, core::Simulation& simulation,
                                              const std::vector<MemoryRange>& ranges) {
    std::vector<WatchedRange> watched(ranges.size());
    const std::uint64_t ticks = stage.session().ticks();
    const std::uint64_t stride = ticks / kMostResetLooks + 1;
    for (std::uint64_t done = 0; done <= ticks; done += stride) {
        ISOTICK_TRY_ASSIGN(const auto memories,
                           ObjectMemory::find(stage, simulation, ranges, done));
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const Bytes bytes = memories[i].read();
            const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
            const std::vector<std::uint8_t> content(first, first + bytes.size());
            if (done == 0) {
                watched[i].initial = content;
            } else if (content != watched[i].initial) {
                watched[i].other.push_back(done);
            }
        }
        const std::uint64_t next = std::min(done + stride, ticks);
        ISOTICK_TRY(stage.advance(simulation, done, next));
    }
    return watched;
}

// Objects that were not there before tick 0 get zeros.
Result<bool> run_reset(Stage& stage, core::Simulation& simulation, const MemoryRange& range,
                       const std::vector<std::uint8_t>& initial, const Future& future) {
    ISOTICK_TRY_ASSIGN(const auto memory, ObjectMemory::find(stage, simulation, range, future.at));
    if (!memory.write(std::as_bytes(std::span(initial)))) {
        const Bytes zeros(memory.read().size());
        if (!memory.write(zeros)) {
            return false;
        }
    }
    ISOTICK_TRY_ASSIGN(const auto parting, run_against(stage, simulation, future));
    return parting.has_value();
}

// The first, the last and one between.
std::vector<std::uint64_t> some_of(const std::vector<std::uint64_t>& states) {
    if (states.size() <= kMostResets) {
        return states;
    }
    return {states.front(), states[states.size() / 2], states.back()};
}

std::optional<SceneEnd> reset(Stage& stage, const WatchedRange& watched, PoisonFacts& facts) {
    facts.reset = watched.other.empty() ? ResetOutcome::constant : ResetOutcome::none;
    for (const std::uint64_t at : some_of(watched.other)) {
        auto future = original_future(stage, at);
        if (!future) {
            return std::move(future.error());
        }
        const auto parts = stage.play(at, Tampering::yes, [&](Stage::Instance& original) {
            return run_reset(stage, *original, facts.range, watched.initial, *future);
        });
        if (parts.value_or(true)) {
            facts.reset = ResetOutcome::future;
            return std::nullopt;
        }
    }
    return std::nullopt;
}

bool is_suspect(const PoisonFacts& facts) {
    return facts.outcome == PoisonOutcome::future && facts.repair != RepairOutcome::repaired;
}

}  // namespace

std::optional<SceneEnd> reset_suspects(Stage& stage, std::vector<PoisonFacts>& all) {
    std::vector<PoisonFacts*> suspects;
    std::vector<MemoryRange> ranges;
    for (PoisonFacts& facts : all) {
        if (is_suspect(facts) && suspects.size() < kMostSuspects) {
            suspects.push_back(&facts);
            ranges.push_back(facts.range);
        }
    }
    if (suspects.empty()) {
        return std::nullopt;
    }
    auto watched = stage.play(0, Tampering::no, [&](Stage::Instance& original) {
        return watch_reset(stage, *original, ranges);
    });
    if (!watched) {
        return std::move(watched.error());
    }
    if (watched->size() != suspects.size()) {
        return SceneEnd{Verdict::crashed, "it watched other ranges"};
    }
    for (std::size_t i = 0; i < suspects.size(); ++i) {
        if (auto ended = reset(stage, (*watched)[i], *suspects[i])) {
            return ended;
        }
    }
    return std::nullopt;
}

}  // namespace isotick::harness
