#include "../probes/future.hpp"
#include "../probes/object_memory.hpp"
#include "../probes/probes.hpp"
#include "memory_reset.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

bool is_decided(PoisonOutcome outcome) {
    return outcome != PoisonOutcome::absent && outcome != PoisonOutcome::none;
}

/// Changes unseen memory in one state after the other.
class Poisoning {
  public:
    explicit Poisoning(Stage& stage) : stage_(stage) {}

    /// Changes all ranges that are not decided yet. None where that could be done.
    std::optional<SceneEnd> poison_all(std::uint64_t at, std::vector<PoisonFacts>& all) {
        auto future = original_future(stage_, at);
        if (!future) {
            return std::move(future.error());
        }
        future_ = std::move(*future);
        ++way_;
        for (PoisonFacts& facts : all) {
            if (!is_decided(facts.outcome)) {
                poison(facts);
            }
        }
        return std::nullopt;
    }

  private:
    void poison(PoisonFacts& facts) {
        const std::uint64_t at = future_.at;
        auto poisoned = stage_.play(at, Tampering::yes, [&](Stage::Instance& original) {
            return run_poisoned(*original, facts);
        });
        if (!poisoned) {
            facts.outcome = PoisonOutcome::crashed;
            facts.at = at;
            return;
        }
        facts = *std::move(poisoned);
        if (facts.outcome == PoisonOutcome::future && stage_.can(ISOTICK_CAN_SAVE)) {
            facts.repair = repair(facts.range);
        }
    }

    // Whether load repairs an instance in which the range is wrong. It then runs on as one does in
    // which nothing is wrong: not as the original, from which another fault may part both.
    RepairOutcome repair(const MemoryRange& range) {
        const auto restored = restored_future(nullptr);
        const auto poisoned = restored ? restored_future(&range) : tl::unexpected(restored.error());
        if (!poisoned) {
            return RepairOutcome::crashed;
        }
        return parting_of(stage_, *restored, *poisoned) ? RepairOutcome::kept
                                                        : RepairOutcome::repaired;
    }

    Result<PoisonFacts> run_poisoned(core::Simulation& simulation, PoisonFacts facts) {
        ISOTICK_TRY_ASSIGN(const auto memory,
                           ObjectMemory::find(stage_, simulation, facts.range, future_.at));
        if (memory.empty()) {
            return facts;
        }
        facts.at = future_.at;
        if (memory.holds_address(OwnMemory())) {  // what another one leads to is chance
            facts.outcome = PoisonOutcome::pointer;
            return facts;
        }
        facts.outcome = PoisonOutcome::none;
        memory.poison(way_);
        ISOTICK_TRY_ASSIGN(const auto row, stage_.hash(simulation, facts.at));
        if (row != future_.rows.front()) {
            facts.outcome = PoisonOutcome::seen;
            facts.changed_at = facts.at;
            facts.changed = stage_.differing(future_.rows.front(), row);
            return facts;
        }
        ISOTICK_TRY_ASSIGN(const auto parting, run_against(stage_, simulation, future_));
        if (parting) {
            facts.outcome = PoisonOutcome::future;
            facts.changed_at = parting->ticks_done;
            facts.changed = parting->parts;
        }
        return facts;
    }

    // Of another instance, with the range wrong in it where there is one, after load.
    tl::expected<Future, SceneEnd> restored_future(const MemoryRange* poisoned) {
        Stage::Instance kept;  // where there can be many, the original stays
        const auto bring = [&](Stage::Instance& original) -> Result<void> {
            ISOTICK_TRY_ASSIGN(const auto snapshot, stage_.save(*original, future_.at));
            ISOTICK_TRY_ASSIGN(auto other, stage_.create_beside(original));
            kept = std::exchange(original, std::move(other));
            if (poisoned != nullptr) {
                ISOTICK_TRY_ASSIGN(const auto memory,
                                   ObjectMemory::find(stage_, *original, *poisoned, 0));
                memory.poison(way_);
            }
            return stage_.load(*original, snapshot, future_.at);
        };
        return run_once(stage_, future_.at, Tampering::yes, bring);
    }

    Stage& stage_;
    Future future_;
    std::size_t way_ = 0;  // another one from state to state
};

}  // namespace

void probe_poison(Stage& stage, ProbeResult& result) {
    if (!stage.can_tamper_with_memory()) {
        return;
    }
    if (stage.plan().opaque) {
        return probe_opaque(stage, result);
    }
    for (const MemoryRange& range : stage.plan().ranges) {
        result.poisons.emplace_back();
        result.poisons.back().range = range;
    }
    Poisoning poisoning(stage);
    for (const std::uint64_t at : stage.plan().at) {
        if (const auto end = poisoning.poison_all(at, result.poisons)) {
            return give_up(result, *end);
        }
    }
    if (const auto end = reset_suspects(stage, result.poisons)) {
        give_up(result, *end);
    }
}

}  // namespace isotick::harness
