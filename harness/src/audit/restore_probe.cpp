// Whether a state that was saved and loaded has the same future.

#include "future.hpp"
#include "object_memory.hpp"
#include "probe.hpp"
#include "scene_answers.hpp"

#include <isotick/core/detail/try.hpp>

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// What fails once but not again, as where memory was short, is no fault of the snapshot.
bool is_to_be_repeated(const RestoreFacts& facts) {
    return facts.outcome == RestoreOutcome::refused || facts.outcome == RestoreOutcome::broke;
}

/// Restores one state in several ways.
class Restore {
  public:
    Restore(Stage& stage, std::uint64_t at) : stage_(stage) {
        facts_.at = at;
        facts_.run_on = stage.end_of_run(at) - at;
    }

    /// None where the facts are complete.
    std::optional<SceneEnd> probe() {
        auto future = original_future(stage_, facts_.at);
        if (!future) {
            return std::move(future.error());
        }
        future_ = std::move(*future);
        for (const RestoreWay way : {RestoreWay::straight, RestoreWay::set_back, RestoreWay::later,
                                     RestoreWay::replaced}) {
            if (facts_.outcome == RestoreOutcome::matched) {
                try_way(way);
            }
        }
        if (facts_.outcome == RestoreOutcome::differs) {
            explain();
        } else if (facts_.outcome == RestoreOutcome::matched && !stage_.plan().snapshot.empty()) {
            return leave_snapshot();
        }
        return std::nullopt;
    }

    [[nodiscard]] const RestoreFacts& facts() const { return facts_; }

  private:
    void try_way(RestoreWay way) {
        const RestoreFacts before = facts_;
        try_way_once(way);
        if (is_to_be_repeated(facts_)) {
            facts_ = before;
            try_way_once(way);
        }
    }

    void try_way_once(RestoreWay way) {
        facts_.way = way;
        auto facts = stage_.play(facts_.at, Tampering::no,
                                 [&](Stage::Instance& original) { return restore(original); });
        if (facts) {
            facts_ = *std::move(facts);
        } else {  // what the untouched simulation has just come through
            facts_.outcome = RestoreOutcome::broke;
            facts_.reason = facts.error().reason;
        }
        if (facts_.outcome == RestoreOutcome::matched) {
            facts_.way = RestoreWay::straight;
        }
    }

    RestoreFacts refused(const char* call, const core::Error& error) {
        facts_.outcome = RestoreOutcome::refused;
        facts_.reason = std::string(call) + error.message;
        return facts_;
    }

    Result<RestoreFacts> restore(Stage::Instance& original) {
        const auto snapshot = stage_.save(*original, facts_.at);
        if (!snapshot) {
            return refused("", snapshot.error());
        }
        facts_.snapshot = snapshot->size();
        ISOTICK_TRY_ASSIGN(auto restored, prepare(original, facts_.at, *snapshot));
        if (auto loaded = stage_.load(restored, *snapshot, facts_.at); !loaded) {
            return refused("of what save had written: ", loaded.error());
        }
        ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage_, restored, future_));
        if (difference) {
            facts_.outcome = RestoreOutcome::differs;
            facts_.difference.ticks_done = difference->ticks_done;
            facts_.difference.parts = difference->parts;
        }
        return facts_;
    }

    // What happens before load; returns the instance to load into.
    Result<core::Simulation> prepare(Stage::Instance& original, std::uint64_t original_at,
                                     const Bytes& snapshot) {
        const std::uint64_t end = facts_.at + facts_.run_on;
        if (facts_.way == RestoreWay::later) {
            ISOTICK_TRY(stage_.advance(*original, original_at, end));
            ISOTICK_TRY(stage_.save(*original, end));
        } else if (facts_.way == RestoreWay::replaced) {
            ISOTICK_TRY(replace(original));
        }
        auto restored = stage_.create_beside(original);
        if (!restored || facts_.way != RestoreWay::set_back) {
            return restored;
        }
        return stage_.load(*restored, snapshot, facts_.at)
            .and_then([&] { return stage_.advance(*restored, facts_.at, end); })
            .map([&] { return std::move(*restored); });
    }

    // The original ends, and another one begins, runs and ends.
    Result<void> replace(Stage::Instance& original) {
        original.reset();
        ISOTICK_TRY_ASSIGN(auto another, stage_.create());
        return stage_.advance(another, 0, facts_.run_on);
    }

    // Names fields, and makes sure that the snapshot is to blame.
    void explain() {
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            auto facts = stage_.play(facts_.at, Tampering::no, [this](Stage::Instance& original) {
                return compare_fields(original);
            });
            if (facts) {
                facts_ = *std::move(facts);
            }
        }
        const bool by_hash_alone =
            facts_.difference.fields_known && facts_.difference.fields_total == 0;
        if (facts_.way == RestoreWay::straight && !by_hash_alone &&
            stage_.can(ISOTICK_MANY_INSTANCES)) {
            const auto parts =
                stage_.play(0, Tampering::no, [this](Stage::Instance&) { return run_twin(); });
            if (parts.value_or(false)) {
                facts_.outcome = RestoreOutcome::unsettled;
            }
        }
    }

    // Whether an instance that nothing was loaded into has another future, too.
    Result<bool> run_twin() {
        ISOTICK_TRY_ASSIGN(auto twin, stage_.create());
        return stage_.advance(twin, 0, facts_.at)
            .and_then([&] { return run_against(stage_, twin, future_); })
            .map([](const std::optional<FirstDifference>& difference) {
                return difference.has_value();
            });
    }

    // Runs both to where they differ, once more.
    Result<RestoreFacts> compare_fields(Stage::Instance& original) {
        const std::uint64_t until = facts_.difference.ticks_done;
        ISOTICK_TRY_ASSIGN(const auto snapshot, stage_.save(*original, facts_.at));
        ISOTICK_TRY(stage_.advance(*original, facts_.at, until));
        ISOTICK_TRY_ASSIGN(const auto before, stage_.fields(*original, until));
        ISOTICK_TRY_ASSIGN(auto restored, prepare(original, until, snapshot));
        ISOTICK_TRY(stage_.load(restored, snapshot, facts_.at));
        ISOTICK_TRY(stage_.advance(restored, facts_.at, until));
        ISOTICK_TRY_ASSIGN(const auto after, stage_.fields(restored, until));
        describe_fields(before, after, facts_.difference);
        return facts_;
    }

    // For a reload in another process.
    std::optional<SceneEnd> leave_snapshot() {
        auto left = stage_.play(facts_.at, Tampering::no, [this](Stage::Instance& original) {
            return stage_.save(*original, facts_.at).and_then([this](const Bytes& snapshot) {
                return write_snapshot(stage_.plan().snapshot, {snapshot, future_}).map([] {
                    return true;
                });
            });
        });
        return left ? std::nullopt : std::optional(std::move(left.error()));
    }

    Stage& stage_;
    RestoreFacts facts_;
    Future future_;
};

// Loads into the first instance that this process ever makes.
Result<RestoreFacts> reload(Stage& stage, Stage::Instance& original, const SavedState& saved) {
    const std::uint64_t at = saved.future.at;
    RestoreFacts facts;
    facts.at = at;
    facts.run_on = stage.end_of_run(at) - at;
    facts.way = RestoreWay::fresh;
    facts.snapshot = saved.snapshot.size();
    if (auto loaded = stage.load(*original, saved.snapshot, at); !loaded) {
        facts.outcome = RestoreOutcome::refused;
        facts.reason = loaded.error().message;
        return facts;
    }
    ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage, *original, saved.future));
    if (difference) {
        facts.outcome = RestoreOutcome::differs;
        facts.difference = {difference->ticks_done, difference->parts, {}, 0, false};
    }
    return facts;
}

RestoreFacts try_reload(Stage& stage, const SavedState& saved) {
    auto reloaded = stage.play(0, Tampering::no, [&](Stage::Instance& original) {
        return reload(stage, original, saved);
    });
    if (reloaded) {
        return *std::move(reloaded);
    }
    RestoreFacts facts;
    facts.at = saved.future.at;
    facts.way = RestoreWay::fresh;
    facts.outcome = RestoreOutcome::broke;
    facts.reason = reloaded.error().reason;
    return facts;
}

}  // namespace

void probe_restore(Stage& stage, ProbeResult& result) {
    if (!stage.can(ISOTICK_CAN_SAVE)) {
        return;
    }
    for (const std::uint64_t at : stage.plan().at) {
        Restore restore(stage, at);
        if (const auto end = restore.probe()) {
            return give_up(result, *end);
        }
        result.restores.push_back(restore.facts());
    }
}

void probe_reload(Stage& stage, ProbeResult& result) {
    const auto saved = read_snapshot(stage.plan().snapshot);
    if (!saved) {
        result.verdict = Verdict::unreadable;
        result.reason = describe(saved.error());
        return;
    }
    RestoreFacts facts = try_reload(stage, *saved);
    if (is_to_be_repeated(facts)) {
        facts = try_reload(stage, *saved);
    }
    result.restores.push_back(std::move(facts));
}

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
    ISOTICK_TRY_ASSIGN(const auto difference, run_against(stage, restored, future));
    return difference ? TransplantOutcome::none : TransplantOutcome::cured;
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
