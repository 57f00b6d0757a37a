#include "../probes/future.hpp"
#include "../probes/object_memory.hpp"
#include "../probes/probes.hpp"

#include <isotick/core/detail/try.hpp>

namespace isotick::harness {
namespace {

using core::Result;

// Restores, gives the restored instance the original's bytes of one range, and runs it on.
Result<TransplantOutcome> transplant(Stage& stage, Stage::Instance& original,
                                     const MemoryRange& range, const Future& future) {
    ISOTICK_TRY_ASSIGN(const auto snapshot, stage.save(*original, future.at));
    ISOTICK_TRY_ASSIGN(const auto donor, ObjectMemory::find(stage, *original, range, future.at));
    const Bytes bytes = donor.read();
    ISOTICK_TRY_ASSIGN(auto restored, stage.create_beside(original));
    ISOTICK_TRY(stage.load(restored, snapshot, future.at));
    ISOTICK_TRY_ASSIGN(const auto receiver, ObjectMemory::find(stage, restored, range, future.at));
    if (receiver.empty() || !receiver.write(bytes)) {
        return TransplantOutcome::absent;
    }
    ISOTICK_TRY_ASSIGN(const auto parting, run_against(stage, restored, future));
    return parting ? TransplantOutcome::none : TransplantOutcome::cured;
}

}  // namespace

void probe_transplant(Stage& stage, ProbeResult& result) {
    if (!stage.can(ISOTICK_CAN_SAVE) || !stage.can_tamper_with_memory()) {
        return;
    }
    for (const std::uint64_t at : stage.plan().at) {
        const auto future = original_future(stage, at);
        if (!future) {
            return give_up(result, future.error());
        }
        for (const MemoryRange& range : stage.plan().ranges) {
            const auto outcome = stage.play(at, Tampering::yes, [&](Stage::Instance& original) {
                return transplant(stage, original, range, *future);
            });
            result.transplants.push_back({at, range, outcome.value_or(TransplantOutcome::crashed)});
        }
    }
}

}  // namespace isotick::harness
