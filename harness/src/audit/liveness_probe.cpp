// Whether ticks, inputs, fields and calls matter to the hash.

#include "future.hpp"
#include "probe.hpp"
#include "stage.hpp"

#include <isotick/core/detail/field_difference.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

namespace isotick::harness {

// Fields held against hashes: what differs from one state to the next must show in the hash.

/// Runs `simulation`, which is new and shows its fields, over the session and compares neighboring
/// states: a field whose part has the same hash in both, though the field differs, is not hashed,
/// or only in part. Where no part has the field's name, all of them must be the same.
[[nodiscard]] core::Result<void> hold_fields_against_hashes(Stage& stage,
                                                            core::Simulation& simulation,
                                                            FieldFacts& facts);

// Runs in which calls that must leave the state alone are made in many ticks.

/// Calls that must leave the state alone. Every run calls `hash` once in each tick.
enum class Call { hash, begin_frame, propose_input, save, visit_fields, render };

[[nodiscard]] std::string_view to_string(Call call);

/// Those that the simulation offers.
[[nodiscard]] std::vector<Call> offered_calls(const Stage& stage);

/// Whether calls are made in `tick`: stretches of it are spread over the session, so that what
/// begins late is met too, and a short session is one of them.
[[nodiscard]] bool is_busy(std::uint64_t tick, std::uint64_t ticks);

/// Runs `simulation`, which is new, over the session, making `calls` in the busy ticks, until it
/// diverges from `future`, which is that of the whole session. Makes `hash` and `save` twice there:
/// what counts its calls may expect one in each tick. Draws from the plan's seed.
[[nodiscard]] core::Result<std::optional<FirstDifference>> run_busily(Stage& stage,
                                                                      core::Simulation& simulation,
                                                                      std::span<const Call> calls,
                                                                      const Future& future);

namespace {

using core::Result;

constexpr std::size_t kMostPaths = 8;
constexpr std::size_t kListed = 1;

struct Look {
    Bytes fields;
    PartRow row;
};

Result<Look> look_at(Stage& stage, core::Simulation& simulation, std::uint64_t done) {
    ISOTICK_TRY_ASSIGN(auto row, stage.hash(simulation, done));
    return stage.fields(simulation, done).map([&](Bytes fields) {
        return Look{std::move(fields), std::move(row)};
    });
}

/// Compares pairs of states.
class Comparison {
  public:
    Comparison(Stage& stage, FieldFacts& facts) : stage_(stage), facts_(facts) {}

    void compare(const Look& before, const Look& after) {
        if (before.row.size() != after.row.size()) {
            return;
        }
        const auto differences = core::compare_fields(before.fields, after.fields, kListed);
        if (!differences) {
            return;
        }
        ++facts_.compared;
        for (std::size_t kind = 0; kind < differences->kinds.size(); ++kind) {
            const core::FieldKind& one = differences->kinds[kind];
            if (is_unhashed(one.part, before.row, after.row) && !is_nan(*differences, kind)) {
                note(one.path);
            }
        }
    }

  private:
    [[nodiscard]] bool is_unhashed(const std::string& part, const PartRow& before,
                                   const PartRow& after) const {
        const std::vector<std::string>& names = stage_.part_names();
        const auto name = std::find(names.begin(), names.end(), part);
        if (name == names.end()) {
            return before == after;
        }
        const auto place = static_cast<std::size_t>(name - names.begin());
        return before[place] == after[place];
    }

    // Where all NaNs count as one, another NaN is no other state.
    [[nodiscard]] bool is_nan(const core::FieldDifferences& differences, std::size_t kind) const {
        return stage_.session().head().nan_policy == "one" &&
               std::ranges::any_of(differences.listed, [&](const core::FieldDifference& field) {
                   return field.field_kind == kind &&
                          field.before.find("nan") != std::string::npos &&
                          field.after.find("nan") != std::string::npos;
               });
    }

    void note(const std::string& path) {
        auto& known = facts_.unhashed;
        if (known.size() < kMostPaths && std::ranges::find(known, path) == known.end()) {
            known.push_back(path);
        }
    }

    Stage& stage_;
    FieldFacts& facts_;
};

}  // namespace

Result<void> hold_fields_against_hashes(Stage& stage, core::Simulation& simulation,
                                        FieldFacts& facts) {
    const std::uint64_t ticks = stage.session().ticks();
    Comparison comparison(stage, facts);
    std::optional<Look> before;
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        const bool busy = is_busy(tick, ticks);
        if (busy && !before) {
            ISOTICK_TRY_ASSIGN(before, look_at(stage, simulation, tick));
        }
        ISOTICK_TRY(stage.step(simulation, tick));
        if (!busy) {
            before.reset();
            continue;
        }
        ISOTICK_TRY_ASSIGN(auto after, look_at(stage, simulation, tick + 1));
        comparison.compare(*before, after);
        before = std::move(after);
    }
    return {};
}

namespace {

using core::Result;

// More busy ticks than this show nothing new, and every one of them takes all of these calls.
constexpr std::uint64_t kMostBusyTicks = 600;
constexpr std::uint64_t kStretches = 8;

constexpr std::array kCalls{Call::hash, Call::begin_frame,  Call::propose_input,
                            Call::save, Call::visit_fields, Call::render};

bool offers(const Stage& stage, Call call) {
    switch (call) {
        case Call::begin_frame:
            return stage.table().begin_frame != nullptr;
        case Call::propose_input:
            return stage.table().propose_input != nullptr;
        case Call::hash:
            return true;
        case Call::save:
            return stage.can(ISOTICK_CAN_SAVE);
        case Call::visit_fields:
            return stage.can(ISOTICK_HAS_FIELDS);
        case Call::render:
            return stage.table().render != nullptr;
    }
    return false;
}

/// One run with some of the calls.
class BusyRun {
  public:
    BusyRun(Stage& stage, core::Simulation& simulation, std::span<const Call> calls)
        : stage_(stage), simulation_(simulation), calls_(calls), random_(stage.plan().seed, 0) {}

    Result<std::optional<FirstDifference>> run(const Future& future) {
        const std::uint64_t ticks = stage_.session().ticks();
        for (std::uint64_t tick = 0; tick < ticks; ++tick) {
            ISOTICK_TRY(call_before(tick));
            ISOTICK_TRY(stage_.step(simulation_, tick));
            ISOTICK_TRY(call_after(tick));
            ISOTICK_TRY_ASSIGN(const auto row, stage_.hash(simulation_, tick + 1));
            if (auto parts = stage_.differing(future.rows[tick + 1], row); !parts.empty()) {
                return FirstDifference{tick + 1, std::move(parts)};
            }
            if (calls(Call::hash, tick)) {
                ISOTICK_TRY_ASSIGN(const auto again, stage_.hash(simulation_, tick + 1));
                if (auto parts = stage_.differing(row, again); !parts.empty()) {
                    return FirstDifference{tick + 1, std::move(parts)};
                }
            }
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] bool calls(Call call, std::uint64_t tick) const {
        return is_busy(tick, stage_.session().ticks()) &&
               std::find(calls_.begin(), calls_.end(), call) != calls_.end();
    }

    // Frames from nothing to a quarter of a second, with their renders.
    Result<void> call_before(std::uint64_t tick) {
        const core::FrameTime frame_time{random_.between(0, 250'000'000)};
        return calls(Call::begin_frame, tick) ? stage_.begin_frame(simulation_, frame_time, tick)
                                              : Result<void>();
    }

    Result<void> call_after(std::uint64_t tick) {
        const std::uint64_t done = tick + 1;
        const double alpha = random_.unit_double();
        const std::uint64_t entropy = random_.next64();
        if (calls(Call::propose_input, tick)) {
            ISOTICK_TRY(stage_.propose(simulation_, entropy, done));
        }
        if (calls(Call::save, tick)) {
            ISOTICK_TRY(stage_.save(simulation_, done));
            ISOTICK_TRY(stage_.save(simulation_, done));
        }
        if (calls(Call::visit_fields, tick)) {
            ISOTICK_TRY(stage_.fields(simulation_, done));
        }
        return calls(Call::render, tick) ? stage_.render(simulation_, alpha, done) : Result<void>();
    }

    Stage& stage_;
    core::Simulation& simulation_;
    std::span<const Call> calls_;
    core::Pcg32 random_;
};

}  // namespace

std::string_view to_string(Call call) {
    switch (call) {
        case Call::begin_frame:
            return "begin_frame";
        case Call::propose_input:
            return "propose_input";
        case Call::hash:
            return "hash";
        case Call::save:
            return "save";
        case Call::visit_fields:
            return "visit_fields";
        case Call::render:
            return "render";
    }
    return "";
}

std::vector<Call> offered_calls(const Stage& stage) {
    std::vector<Call> offered;
    std::copy_if(kCalls.begin(), kCalls.end(), std::back_inserter(offered),
                 [&](Call call) { return offers(stage, call); });
    return offered;
}

// The first stretch begins with the session, each of the others ends with its eighth of it.
bool is_busy(std::uint64_t tick, std::uint64_t ticks) {
    if (ticks <= kMostBusyTicks) {
        return true;
    }
    constexpr std::uint64_t kLength = kMostBusyTicks / kStretches;
    const std::uint64_t stretch = tick * kStretches / ticks;
    const std::uint64_t end = ((stretch + 1) * ticks + kStretches - 1) / kStretches;
    return tick < kLength || (stretch > 0 && tick + kLength >= end);
}

Result<std::optional<FirstDifference>> run_busily(Stage& stage, core::Simulation& simulation,
                                                  std::span<const Call> calls,
                                                  const Future& future) {
    return BusyRun(stage, simulation, calls).run(future);
}

namespace {

using core::Result;

/// Runs the session in several ways.
class LivenessCourse {
  public:
    LivenessCourse(Stage& stage, LivenessFacts& facts) : stage_(stage), facts_(facts) {}

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
        if (auto end = play(&LivenessCourse::compare_twins)) {
            return end;
        }
        facts_.hash_changed = changes();
        compare_with_recorded();
        for (auto scene : {&LivenessCourse::run_without_inputs, &LivenessCourse::run_unobserved}) {
            if (auto end = play(scene)) {
                return end;
            }
        }
        if (stage_.can(ISOTICK_HAS_FIELDS)) {
            if (auto end = play(&LivenessCourse::compare_fields)) {
                return end;
            }
        }
        return find_disturbances();
    }

  private:
    using Scene = Result<void> (LivenessCourse::*)(Stage::Instance& original);

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
        auto hashes_alone = run_with({});
        if (!hashes_alone) {
            return std::move(hashes_alone.error());
        }
        if (*hashes_alone) {  // then no run can show what another call does
            add_disturbance("hash", **hashes_alone);
            return std::nullopt;
        }
        bool any_alone = false;
        for (const Call call : calls) {
            auto alone = run_with({call});
            if (!alone) {
                return std::move(alone.error());
            }
            if (*alone) {
                any_alone = true;
                add_disturbance(std::string(to_string(call)), **alone);
            }
        }
        if (!any_alone) {
            add_disturbance("several calls together", **together);
        }
        return std::nullopt;
    }

    tl::expected<std::optional<FirstDifference>, SceneEnd> run_with(
        const std::vector<Call>& calls) {
        return stage_.play(0, Tampering::no, [&](Stage::Instance& original) {
            return run_busily(stage_, *original, calls, future_);
        });
    }

    void add_disturbance(std::string call, const FirstDifference& difference) {
        if (std::ranges::find(facts_.disturbances, call, &Disturbance::call) !=
            facts_.disturbances.end()) {
            return;
        }
        facts_.disturbances.push_back(
            {std::move(call), {difference.ticks_done, difference.parts, {}, 0, false}});
    }

    Stage& stage_;
    LivenessFacts& facts_;
    Future future_;
};

}  // namespace

void probe_liveness(Stage& stage, ProbeResult& result) {
    stage.keep_float_control(true);  // what a call leaves has the effect that it has in a game
    if (const auto end = LivenessCourse(stage, result.liveness).probe()) {
        give_up(result, *end);
    }
}

}  // namespace isotick::harness
