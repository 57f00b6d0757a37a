// Changes memory that `serialize` does not see, and sees whether the future changes.

#include "future.hpp"
#include "object_memory.hpp"
#include "probe.hpp"
#include "scene_answers.hpp"
#include "stage.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace isotick::harness {

// Unseen memory that decides the future: is it ever anything but what create made of it, and does
// that matter? What a poisoned cache computes says little, an empty cache is right.

/// Fills in `reset` for ranges that decide the future and that load does not repair: watches them
/// over the session, and where they are not as they were before tick 0, sets them back to that
/// and runs on. None where that could be done.
[[nodiscard]] std::optional<SceneEnd> reset_suspects(Stage& stage, std::vector<PoisonFacts>& all);

namespace {

using core::Result;

constexpr std::uint64_t kMostResetLooks = 128;
constexpr std::size_t kMostResets = 3;
constexpr std::size_t kMostSuspects = 8;

// Whether resetting the bytes would change them: objects that were not there before tick 0 get
// zeros.
bool is_set(const std::vector<std::uint8_t>& content, const std::vector<std::uint8_t>& initial) {
    return content.size() == initial.size()
               ? content != initial
               : std::ranges::any_of(content, [](std::uint8_t byte) { return byte != 0; });
}

// Looks at the ranges of the suspects every few ticks, twice in a row: what counts to a divisor of
// the stride is the same at each other look.
Result<std::vector<WatchedRange>> watch_reset(Stage& stage, core::Simulation& simulation,
                                              const std::vector<MemoryRange>& ranges) {
    std::vector<WatchedRange> watched(ranges.size());
    const std::uint64_t ticks = stage.session().ticks();
    const std::uint64_t stride = ticks / kMostResetLooks + 1;
    std::uint64_t next = 0;
    for (std::uint64_t done = 0; done <= ticks; done = next) {
        ISOTICK_TRY_ASSIGN(const auto memories,
                           ObjectMemory::find(stage, simulation, ranges, done));
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const Bytes bytes = memories[i].read();
            const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
            const std::vector<std::uint8_t> content(first, first + bytes.size());
            if (done == 0) {
                watched[i].initial = content;
            } else if (is_set(content, watched[i].initial)) {
                watched[i].other.push_back(done);
            }
        }
        const bool is_first = done % stride == 0;
        next = is_first ? done + 1 : done - 1 + stride;
        ISOTICK_TRY(stage.advance(simulation, done, std::min(next, ticks)));
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
    ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage, simulation, future));
    return difference.has_value();
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
    return facts.outcome == PoisonOutcome::future && facts.repair != RepairOutcome::repaired &&
           facts.repair != RepairOutcome::harmless;
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
        if (first_difference(stage_, *restored, *poisoned)) {
            return RepairOutcome::kept;
        }
        return is_written_by_load(range) ? RepairOutcome::repaired : RepairOutcome::harmless;
    }

    // Whether load gives poisoned bytes the values that it gave them before.
    bool is_written_by_load(const MemoryRange& range) {
        const auto look = [&](Stage::Instance& original) -> Result<bool> {
            Bytes before;
            ISOTICK_TRY_ASSIGN(const auto kept, load_twice(original, &range, &before));
            ISOTICK_TRY_ASSIGN(const auto memory,
                               ObjectMemory::find(stage_, *original, range, future_.at));
            return memory.read() == before;
        };
        return stage_.play(future_.at, Tampering::yes, look).value_or(false);
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
        ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage_, simulation, future_));
        if (difference) {
            facts.outcome = PoisonOutcome::future;
            facts.changed_at = difference->ticks_done;
            facts.changed = difference->parts;
        }
        return facts;
    }

    // Of another instance, with the range wrong in it where there is one, after load.
    tl::expected<Future, SceneEnd> restored_future(const MemoryRange* poisoned) {
        Stage::Instance kept;
        const auto bring = [&](Stage::Instance& original) {
            return load_twice(original, poisoned, nullptr).map([&](Stage::Instance&& left) {
                kept = std::move(left);
            });
        };
        return run_once(stage_, future_.at, Tampering::yes, bring);
    }

    // Makes another instance of `original`, which is returned where there can be many, so that it
    // stays. Loads into it twice, with the range wrong the second time: the first makes the objects
    // that a new instance does not have, and leaves caches as load does. `before`, if there is one:
    // the bytes behind the first.
    Result<Stage::Instance> load_twice(Stage::Instance& original, const MemoryRange* poisoned,
                                       Bytes* before) {
        ISOTICK_TRY_ASSIGN(const auto snapshot, stage_.save(*original, future_.at));
        ISOTICK_TRY_ASSIGN(auto other, stage_.create_beside(original));
        Stage::Instance kept = std::exchange(original, std::move(other));
        ISOTICK_TRY(stage_.load(*original, snapshot, future_.at));
        if (poisoned != nullptr) {
            ISOTICK_TRY_ASSIGN(const auto memory,
                               ObjectMemory::find(stage_, *original, *poisoned, future_.at));
            if (memory.empty()) {
                return core::fail(core::ErrorCode::simulation, "nothing is there to be changed");
            }
            if (before != nullptr) {
                *before = memory.read();
            }
            memory.poison(way_);
        }
        return stage_.load(*original, snapshot, future_.at).map([&] { return std::move(kept); });
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
