#include "later_parts.hpp"

#include "../axes/axes.hpp"
#include "../run/state_observers.hpp"
#include "../run/verdict.hpp"
#include "../system/files.hpp"
#include "field_report.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/replay/detail/recorded_ticks.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;
using States = std::vector<StateRecord>;  // by ticks_done, with their part hashes

constexpr std::uint64_t kMostLaterStates = 600;
constexpr std::size_t kMostListedParts = 32;
constexpr std::size_t kMostDumped = std::size_t{256} << 20;  // bytes, of both sides

// The first `most` of the range whose part hashes the recording has, within what can be read.
Result<States> stored_states(replay::Reader& reader, StateRange range, std::size_t most) {
    States states;
    replay::RecordedTicks ticks(reader);
    while (states.size() < most) {
        ISOTICK_TRY_ASSIGN(const bool more, ticks.advance());
        if (!more || ticks.tick().value >= range.last) {
            break;
        }
        const std::uint64_t done = ticks.tick().value + 1;
        const auto parts = ticks.part_hashes();
        if (done >= range.first && !parts.empty()) {
            states.emplace_back().ticks_done = done;
            states.back().parts.assign(parts.begin(), parts.end());
        }
    }
    return states;
}

bool only_goes_forward(const TrialPlan& plan) {
    return !have_course(plan.drive.axes) && !plan.course && plan.inputs.empty() &&
           plan.drive.loop.kind != core::LoopKind::reversible;
}

// Further than it diverged.
TrialPlan run_on(TrialPlan plan, StateRange traced) {
    plan.keep_diverged_state = false;
    plan.most_steps = 0;
    plan.trace = traced;
    return plan;
}

}  // namespace

Result<void> find_later_parts(const TrialPlan& plan, const TrialResult& result,
                              const TrialRunner& run, Explanation& explanation) {
    const bool are_known = !explanation.parts.empty() ||
                           !result.divergence->recorded_parts.empty() ||
                           explanation.disagreement.has_value();
    if (are_known || !only_goes_forward(plan)) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan.recording));
    const replay::RecordingHead& head = reader.head();
    if (head.parts_every == 0 || head.part_names.size() < 2) {
        return {};
    }
    constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
    ISOTICK_TRY_ASSIGN(const auto stored,
                       stored_states(reader, {explanation.ticks_done + 1, kEnd}, 1));
    if (stored.empty()) {
        return {};
    }
    const StateRecord& next = stored.front();
    const TrialPlan further = run_on(plan, {next.ticks_done, next.ticks_done});
    ISOTICK_TRY_ASSIGN(const auto results, run(std::array{further}, Isolation::forked));
    for (const StateRecord& state : results.front().trace) {
        LaterParts later{next.ticks_done,
                         differing_parts({head.part_names, next.parts},
                                         {results.front().part_names, state.parts})};
        if (!later.parts.empty()) {  // else the state agrees there, or this run did not diverge
            explanation.later_parts = std::move(later);
        }
    }
    return {};
}

namespace {

struct BothSides {
    States recorded;
    States computed;
};

TrialPlan recorded_plan(TrialPlan further, const ExplainOptions& options, bool only_as_recorded) {
    further.drive = {};
    if (only_as_recorded) {
        further.drive.schedule = *options.recorded_schedule;
    }
    return further;
}

Result<BothSides> run_both(const PairSide& recorded, const PairSide& computed) {
    return run_pair(recorded, computed).map([](std::array<TrialResult, 2>&& runs) {
        return BothSides{std::move(runs[0].trace), std::move(runs[1].trace)};
    });
}

// Some states from the second to number `last`, close together at first: a difference spreads fast,
// if it does.
std::vector<std::size_t> states_to_look_at(std::size_t last) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 1; i < last; i = std::max(i + 1, i * 5 / 4)) {
        chosen.push_back(i);
    }
    return chosen;
}

/// Runs both sides once more to count the fields that differ in chosen states.
class FieldCount {
  public:
    FieldCount(const PairSide& recorded, const PairSide& computed, const BothSides& sides)
        : runs_{recorded, computed}, plans_{recorded.plan, computed.plan}, sides_(sides) {}

    /// Adds what is known of the states to `fields`. Returns how large the largest is, in bytes.
    Result<std::size_t> count(const std::vector<std::size_t>& states,
                              std::vector<Impact::Fields>& fields) {
        std::size_t largest = 0;
        for (const std::size_t index : states) {
            ISOTICK_TRY(add(0, sides_.recorded[index]));
            ISOTICK_TRY(add(1, sides_.computed[index]));
        }
        ISOTICK_TRY(run_pair({plans_[0], runs_[0].run}, {plans_[1], runs_[1].run}));
        for (std::size_t i = 0; i < states.size(); ++i) {
            const StateRecord& before = sides_.recorded[states[i]];
            ISOTICK_TRY_ASSIGN(const FieldReport report,
                               compare_dumped(files_[2 * i], before.hash, files_[2 * i + 1],
                                              sides_.computed[states[i]].hash, 1));
            if (report.known) {
                fields.push_back({before.ticks_done, report.differences.values});
            }
            ISOTICK_TRY_ASSIGN(const auto dumped, files_[2 * i].read());
            largest = std::max(largest, dumped.bytes().size());
        }
        return largest;
    }

  private:
    Result<void> add(std::size_t side, const StateRecord& state) {
        ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
        plans_[side].dumps.push_back({file.path(), state.steps});
        files_.push_back(std::move(file));
        return {};
    }

    std::array<PairSide, 2> runs_;
    std::array<TrialPlan, 2> plans_;
    const BothSides& sides_;
    std::vector<SharedFile> files_;  // of each state, first the recorded side's
};

// The states of both begin with the first that differs.
Result<std::optional<Impact>> find_impact(const PairSide& recorded, const PairSide& computed,
                                          const BothSides& sides, std::uint64_t first_fields) {
    const auto is_same = [&sides](std::size_t index) {
        return sides.recorded[index].hash == sides.computed[index].hash;
    };
    const std::size_t count = std::min(sides.recorded.size(), sides.computed.size());
    if (count < 2 || is_same(0)) {
        return std::nullopt;
    }
    std::size_t last = count - 1;
    while (is_same(last)) {
        --last;
    }
    Impact impact{{{sides.recorded.front().ticks_done, first_fields}},
                  sides.recorded[count - 1].ticks_done};
    if (last + 1 < count) {
        impact.same_from = sides.recorded[last + 1].ticks_done;
    }
    std::vector<std::size_t> states{last / 10, last};
    std::erase(states, std::size_t{0});
    if (states.empty()) {
        return impact;
    }
    ISOTICK_TRY_ASSIGN(const std::size_t size,
                       FieldCount(recorded, computed, sides).count(states, impact.fields));
    std::vector<std::size_t> more = states_to_look_at(last);
    std::erase(more, states.front());
    if (size > 0 && 2 * size * more.size() <= kMostDumped && !more.empty()) {
        ISOTICK_TRY(FieldCount(recorded, computed, sides).count(more, impact.fields));
    }
    std::ranges::sort(impact.fields, {}, &Impact::Fields::ticks_done);
    return impact;
}

// Compares the states that both sides have.
std::optional<PartHistory> compare_sides(const BothSides& sides, std::uint64_t every,
                                         const std::vector<std::string>& names) {
    std::vector<PartHistory::Part> parts;
    for (const std::string& name : names) {
        parts.push_back({name, {}});
    }
    PartHistory history;
    std::optional<std::uint64_t> last;
    auto computed = sides.computed.begin();
    for (const StateRecord& recorded : sides.recorded) {
        while (computed != sides.computed.end() && computed->ticks_done < recorded.ticks_done) {
            ++computed;
        }
        if (computed == sides.computed.end() || recorded.parts.size() != names.size() ||
            computed->parts.size() != names.size()) {
            break;
        }
        const std::uint64_t done = recorded.ticks_done;
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto& differs = parts[i].differs;
            if (recorded.parts[i] == computed->parts[i]) {
                continue;
            }
            if (!differs.empty() && differs.back().last == last) {
                differs.back().last = done;
            } else {
                differs.push_back({done, done});
            }
        }
        history.compared = {last ? history.compared.first : done, done};
        last = done;
    }
    std::erase_if(parts, [](const PartHistory::Part& part) { return part.differs.empty(); });
    if (parts.empty()) {
        return std::nullopt;
    }
    history.every = every;
    history.total = parts.size();
    history.same = names.size() - parts.size();
    parts.resize(std::min(parts.size(), kMostListedParts));
    history.parts = std::move(parts);
    return history;
}

}  // namespace

Result<void> find_part_history(const TrialPlan& plan, const TrialRunner& run,
                               const ExplainOptions& options, Explanation& explanation) {
    if (explanation.disagreement || !only_goes_forward(plan)) {
        return {};
    }
    const std::uint64_t first = explanation.ticks_done;
    const TrialPlan further = run_on(plan, {first, first + kMostLaterStates - 1});
    ISOTICK_TRY_ASSIGN(auto reader, replay::Reader::open(plan.recording));
    const replay::RecordingHead& head = reader.head();
    BothSides sides;
    if (explanation.recorded_side_runs) {
        const TrialPlan plan_of_recorded =
            recorded_plan(further, options, explanation.only_as_recorded);
        const PairSide recorded{plan_of_recorded,
                                options.recorded_side ? *options.recorded_side : run};
        const PairSide computed{further, run};
        ISOTICK_TRY_ASSIGN(sides, run_both(recorded, computed));
        if (explanation.fields.known) {
            ISOTICK_TRY_ASSIGN(
                explanation.impact,
                find_impact(recorded, computed, sides, explanation.fields.differences.values));
        }
    } else {
        ISOTICK_TRY_ASSIGN(sides.recorded, stored_states(reader, *further.trace, kMostLaterStates));
        ISOTICK_TRY_ASSIGN(auto runs, run(std::array{further}, Isolation::forked));
        sides.computed = std::move(runs.front().trace);
    }
    explanation.part_history = compare_sides(
        sides, explanation.recorded_side_runs ? 1 : head.parts_every, head.part_names);
    return {};
}

}  // namespace isotick::harness
