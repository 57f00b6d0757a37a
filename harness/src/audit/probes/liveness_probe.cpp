#include "busy_run.hpp"
#include "future.hpp"
#include "probe_json.hpp"
#include "probes.hpp"

#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using Wire = nlohmann::json;

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
        for (auto scene : {&Liveness::compare_twins, &Liveness::run, &Liveness::run_without_inputs,
                           &Liveness::run_unobserved, &Liveness::run_busily}) {
            SceneEnd end = stage_.play(0, Tampering::no, [&](Stage::Instance& original) {
                return (this->*scene)(original).map([this] {
                    return Wire{{"facts", facts_}, {"future", future_.rows}};
                });
            });
            if (!end.answer) {
                return end;
            }
            end.answer->at("facts").get_to(facts_);
            end.answer->at("future").get_to(future_.rows);
            stage_.ignore(facts_.parts_of_no_state);
        }
        return std::nullopt;
    }

  private:
    // Two instances side by side, which must compute the same.
    Result<void> compare_twins(Stage::Instance& original) {
        core::Simulation& one = *original;
        if (!stage_.can(ISOTICK_MANY_INSTANCES)) {
            return {};
        }
        auto other = stage_.create();
        if (!other) {
            return tl::unexpected(other.error());
        }
        facts_.twins_compared = true;
        for (std::uint64_t done = 0; !facts_.twins_differ; ++done) {
            if (auto compared = compare(one, *other, done); !compared) {
                return compared;
            }
            if (done == facts_.ticks) {
                break;
            }
            for (core::Simulation* twin : {&one, &*other}) {
                if (auto stepped = stage_.step(*twin, done); !stepped) {
                    return stepped;
                }
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

    // The run that the others are held against.
    Result<void> run(Stage::Instance& original) {
        core::Simulation& simulation = *original;
        for (std::uint64_t done = 0; done <= facts_.ticks; ++done) {
            if (done > 0) {
                if (auto stepped = stage_.step(simulation, done - 1); !stepped) {
                    return stepped;
                }
            }
            auto row = stage_.hash(simulation, done);
            if (!row) {
                return tl::unexpected(row.error());
            }
            compare_with_recorded(simulation, done);
            facts_.hash_changed = facts_.hash_changed ||
                                  (done > 0 && !stage_.differing(future_.rows[0], *row).empty());
            future_.rows.push_back(std::move(*row));
        }
        return {};
    }

    void compare_with_recorded(const core::Simulation& simulation, std::uint64_t done) {
        const auto recorded = stage_.session().recorded(done);
        if (facts_.reproduced && recorded && *recorded != core::hash_parts(simulation.parts())) {
            facts_.reproduced = false;
            facts_.unreproduced = done;
        }
    }

    Result<void> run_without_inputs(Stage::Instance& original) {
        core::Simulation& simulation = *original;
        for (std::uint64_t done = 1; done <= facts_.ticks && facts_.inputs_present != 0; ++done) {
            if (auto stepped = stage_.step_without_inputs(simulation, done - 1); !stepped) {
                return stepped;
            }
            const auto row = stage_.hash(simulation, done);
            if (!row) {
                return tl::unexpected(row.error());
            }
            if (!stage_.differing(future_.rows[done], *row).empty()) {
                facts_.inputs_mattered = true;
                break;
            }
        }
        return {};
    }

    // Nothing but ticks, and one hash at the end.
    Result<void> run_unobserved(Stage::Instance& original) {
        core::Simulation& simulation = *original;
        if (auto advanced = stage_.advance(simulation, 0, facts_.ticks); !advanced) {
            return advanced;
        }
        const auto row = stage_.hash(simulation, facts_.ticks);
        if (!row) {
            return tl::unexpected(row.error());
        }
        facts_.calls.emplace_back("hash");
        auto parts = stage_.differing(future_.rows[facts_.ticks], *row);
        if (!parts.empty()) {
            facts_.disturbances.push_back({"hash", {facts_.ticks, std::move(parts), {}, 0, false}});
        }
        return {};
    }

    Result<void> run_busily(Stage::Instance& original) {
        return find_disturbances(stage_, original, future_, facts_);
    }

    Stage& stage_;
    LivenessFacts& facts_;
    Future future_;
};

}  // namespace

void probe_liveness(Stage& stage, ProbeResult& result) {
    if (const auto end = Liveness(stage, result.liveness).probe()) {
        give_up(result, *end);
    }
}

}  // namespace isotick::harness
