#include "../probes/busy_run.hpp"
#include "../probes/future.hpp"
#include "../probes/probes.hpp"
#include "../snapshots/field_check.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

/// Runs the session in several ways.
class Liveness {
  public:
    Liveness(Stage& stage, LivenessFacts& facts) : stage_(stage), facts_(facts) {}

    /// None where the facts are complete.
    std::optional<SceneEnd> probe() {
        const SessionTicks& session = stage_.session();
        facts_.ticks = session.ticks();
        facts_.players = session.head().session.players;
        facts_.inputs_present = session.inputs_present();
        auto future = original_future(stage_, 0);  // what the others are held against
        if (!future) {
            return std::move(future.error());
        }
        future_ = std::move(*future);
        if (auto end = play(&Liveness::compare_twins)) {
            return end;
        }
        facts_.hash_changed = changes();
        compare_with_recorded();
        for (auto scene : {&Liveness::run_without_inputs, &Liveness::run_unobserved}) {
            if (auto end = play(scene)) {
                return end;
            }
        }
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            if (auto end = play(&Liveness::compare_fields)) {
                return end;
            }
        }
        return find_disturbances();
    }

  private:
    using Scene = Result<void> (Liveness::*)(Stage::Instance& original);

    std::optional<SceneEnd> play(Scene scene) {
        auto facts = stage_.play(0, Tampering::no, [&](Stage::Instance& original) {
            return (this->*scene)(original).map([this] { return facts_; });
        });
        if (!facts) {
            return std::move(facts.error());
        }
        facts_ = *std::move(facts);
        stage_.ignore(facts_.parts_of_no_state);
        return std::nullopt;
    }

    [[nodiscard]] bool changes() const {
        return std::ranges::any_of(future_.rows, [&](const PartRow& row) {
            return !stage_.differing(future_.rows.front(), row).empty();
        });
    }

    // Two instances side by side, which must compute the same.
    Result<void> compare_twins(Stage::Instance& original) {
        core::Simulation& one = *original;
        if (!stage_.can(ISOTICK_MANY_INSTANCES)) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(auto other, stage_.create());
        facts_.twins_compared = true;
        for (std::uint64_t done = 0; !facts_.twins_differ; ++done) {
            ISOTICK_TRY(compare(one, other, done));
            if (done == facts_.ticks) {
                break;
            }
            for (core::Simulation* twin : {&one, &other}) {
                ISOTICK_TRY(stage_.step(*twin, done));
            }
        }
        return {};
    }

    Result<void> compare(core::Simulation& one, core::Simulation& other, std::uint64_t done) {
        const auto row = stage_.hash(one, done);
        const auto other_row = stage_.hash(other, done);
        if (!row || !other_row) {
            return tl::unexpected(row ? other_row.error() : row.error());
        }
        const auto parts = stage_.differing(*row, *other_row);
        if (parts.empty()) {
            return {};
        }
        StateDifference difference{done, parts, {}, 0, false};
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            const auto before = stage_.fields(one, done);
            const auto after = stage_.fields(other, done);
            if (!before || !after) {
                return tl::unexpected(before ? after.error() : before.error());
            }
            describe_fields(*before, *after, difference);
        }
        take(std::move(difference));
        return {};
    }

    void take(StateDifference difference) {
        if (facts_.parts_of_no_state.empty()) {
            facts_.twins = difference;
        }
        if (difference.fields_known && difference.fields_total == 0) {
            stage_.ignore(difference.parts);
            for (std::string& part : difference.parts) {
                facts_.parts_of_no_state.push_back(std::move(part));
            }
        } else {
            facts_.twins = std::move(difference);
            facts_.twins_differ = true;
        }
    }

    void compare_with_recorded() {
        for (std::uint64_t done = 0; done <= facts_.ticks && facts_.reproduced; ++done) {
            std::vector<core::PartHash> parts;
            for (const std::uint64_t part : future_.rows[done]) {
                parts.push_back({part});
            }
            const auto recorded = stage_.session().recorded(done);
            if (recorded && *recorded != core::hash_parts(parts)) {
                facts_.reproduced = false;
                facts_.unreproduced = done;
            }
        }
    }

    Result<void> compare_fields(Stage::Instance& original) {
        return hold_fields_against_hashes(stage_, *original, facts_.fields);
    }

    Result<void> run_without_inputs(Stage::Instance& original) {
        core::Simulation& simulation = *original;
        for (std::uint64_t done = 1; done <= facts_.ticks && facts_.inputs_present != 0; ++done) {
            ISOTICK_TRY(stage_.step_without_inputs(simulation, done - 1));
            ISOTICK_TRY_ASSIGN(const auto row, stage_.hash(simulation, done));
            if (!stage_.differing(future_.rows[done], row).empty()) {
                facts_.inputs_mattered = true;
                break;
            }
        }
        return {};
    }

    // Nothing but ticks, and one hash at the end.
    Result<void> run_unobserved(Stage::Instance& original) {
        core::Simulation& simulation = *original;
        ISOTICK_TRY(stage_.advance(simulation, 0, facts_.ticks));
        ISOTICK_TRY_ASSIGN(const auto row, stage_.hash(simulation, facts_.ticks));
        facts_.calls.emplace_back("hash");
        auto parts = stage_.differing(future_.rows[facts_.ticks], row);
        if (!parts.empty()) {
            facts_.disturbances.push_back({"hash", {facts_.ticks, std::move(parts), {}, 0, false}});
        }
        return {};
    }

    // First all calls at once; where that matters, one after the other, each in a run that none of
    // the others has touched.
    std::optional<SceneEnd> find_disturbances() {
        const std::vector<Call> calls = offered_calls(stage_);
        for (const Call call : calls) {
            facts_.calls.emplace_back(to_string(call));
        }
        auto together = run_with(calls);
        if (!together) {
            return std::move(together.error());
        }
        if (!*together) {
            return std::nullopt;
        }
        const std::size_t before = facts_.disturbances.size();
        for (const Call call : calls) {
            auto alone = run_with({call});
            if (!alone) {
                return std::move(alone.error());
            }
            if (*alone) {
                add_disturbance(std::string(to_string(call)), **alone);
            }
        }
        if (facts_.disturbances.size() == before) {
            add_disturbance("several calls together", **together);
        }
        return std::nullopt;
    }

    tl::expected<std::optional<Parting>, SceneEnd> run_with(const std::vector<Call>& calls) {
        return stage_.play(0, Tampering::no, [&](Stage::Instance& original) {
            return run_busily(stage_, *original, calls, future_);
        });
    }

    void add_disturbance(std::string call, const Parting& parting) {
        facts_.disturbances.push_back(
            {std::move(call), {parting.ticks_done, parting.parts, {}, 0, false}});
    }

    Stage& stage_;
    LivenessFacts& facts_;
    Future future_;
};

}  // namespace

void probe_liveness(Stage& stage, ProbeResult& result) {
    stage.keep_float_control(true);  // what a call leaves has the effect that it has in a game
    if (const auto end = Liveness(stage, result.liveness).probe()) {
        give_up(result, *end);
    }
}

}  // namespace isotick::harness
