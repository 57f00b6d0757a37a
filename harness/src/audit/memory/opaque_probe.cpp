#include "../probes/future.hpp"
#include "../probes/object_memory.hpp"
#include "../probes/probes.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// Gives the original the bytes of a new instance, which stays alive and so what they point to.
Result<PoisonOutcome> run_with_new_bytes(Stage& stage, core::Simulation& original,
                                         const MemoryRange& range, const Future& future) {
    ISOTICK_TRY_ASSIGN(auto other, stage.create());
    const auto from = ObjectMemory::find(stage, other, range, 0);
    const auto to = ObjectMemory::find(stage, original, range, future.at);
    if (!from || !to) {
        return tl::unexpected(from ? to.error() : from.error());
    }
    if (to->empty()) {
        return PoisonOutcome::absent;
    }
    if (!to->write(from->read())) {
        return PoisonOutcome::pointer;
    }
    ISOTICK_TRY_ASSIGN(const auto parting, run_against(stage, original, future));
    return parting ? PoisonOutcome::future : PoisonOutcome::none;
}

// Whether a restored instance, whose bytes are its own, has the future of the original.
Result<bool> run_restored(Stage& stage, Stage::Instance& original, const Future& future) {
    ISOTICK_TRY_ASSIGN(const auto snapshot, stage.save(*original, future.at));
    ISOTICK_TRY_ASSIGN(auto restored, stage.create_beside(original));
    ISOTICK_TRY(stage.load(restored, snapshot, future.at));
    ISOTICK_TRY_ASSIGN(const auto parting, run_against(stage, restored, future));
    return parting.has_value();
}

void replace(Stage& stage, const Future& future, PoisonFacts& facts) {
    const auto outcome = stage.play(future.at, Tampering::yes, [&](Stage::Instance& original) {
        return run_with_new_bytes(stage, *original, facts.range, future);
    });
    facts.at = future.at;
    facts.outcome = outcome.value_or(PoisonOutcome::pointer);
    if (facts.outcome != PoisonOutcome::future) {
        return;
    }
    facts.outcome = PoisonOutcome::pointer;  // needed, and who brings it is not known yet
    if (!stage.can(ISOTICK_CAN_SAVE)) {
        return;
    }
    const auto parts = stage.play(future.at, Tampering::yes, [&](Stage::Instance& original) {
        return run_restored(stage, original, future);
    });
    if (!parts.value_or(true)) {
        facts.outcome = PoisonOutcome::future;
        facts.repair = RepairOutcome::repaired;
    }
}

bool may_be_more(PoisonOutcome outcome) {
    return outcome == PoisonOutcome::absent || outcome == PoisonOutcome::none;
}

}  // namespace

void probe_opaque(Stage& stage, ProbeResult& result) {
    for (const MemoryRange& range : stage.plan().ranges) {
        result.poisons.emplace_back();
        result.poisons.back().range = range;
    }
    for (const std::uint64_t at : stage.plan().at) {
        const auto future = original_future(stage, at);
        if (!future) {
            return give_up(result, future.error());
        }
        for (PoisonFacts& facts : result.poisons) {
            if (may_be_more(facts.outcome)) {
                replace(stage, *future, facts);
            }
        }
    }
}

}  // namespace isotick::harness
