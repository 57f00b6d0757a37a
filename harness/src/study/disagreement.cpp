#include "../run/state_observers.hpp"
#include "../run/verdict.hpp"
#include "chance.hpp"
#include "parting_write.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/disagreement.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kRunsAtOnce = 4;
constexpr std::size_t kRounds = 3;
constexpr std::size_t kWatchedAtOnce = 8;
constexpr std::size_t kTracedAtOnce = 2;  // slow
constexpr std::size_t kWatchedRounds = 3;
// Rows of part hashes are kept for so many states of a run.
constexpr std::uint64_t kMostDisagreeingStates = 4096;

/// One more run: its states, and the fields of the last where those are wanted.
struct Run {
    TrialResult result;
    std::optional<SharedFile> dump;
    std::uint64_t dump_of = 0;  // steps

    [[nodiscard]] const StateRecord* state(std::uint64_t steps) const {
        const auto& trace = result.trace;
        const bool there =
            !trace.empty() && steps >= trace.front().steps && steps <= trace.back().steps;
        return there ? &trace[steps - trace.front().steps] : nullptr;
    }

    [[nodiscard]] bool looked_at(std::uint64_t steps) const { return dump && dump_of == steps; }
    [[nodiscard]] bool shows(std::uint64_t steps) const {
        return looked_at(steps) && result.dumped;
    }
};

/// Two runs that differ, in the first state in which any two do.
struct DivergentPair {
    std::uint64_t steps = 0;
    const Run* a = nullptr;
    const Run* b = nullptr;
};

// Steps to where the two runs that were there before were first seen to differ.
std::uint64_t first_seen(const TrialResult& first, const TrialResult& again) {
    const std::uint64_t steps = first.divergence->computed.steps;
    return again.divergence ? std::min(steps, again.divergence->computed.steps) : steps;
}

// The one of the two that agreed with the recording for less long.
const Divergence& that_parted_first(const TrialResult& first, const TrialResult& again) {
    return again.divergence &&
                   again.divergence->last_agreed_steps < first.divergence->last_agreed_steps
               ? *again.divergence
               : *first.divergence;
}

// What `result` came to after so many steps: where it did not diverge there, it agreed with the
// recording, whose hash `other` has then.
std::optional<core::StateHash> hash_at(const TrialResult& result, std::uint64_t steps,
                                       const TrialResult& other) {
    if (result.divergence && result.divergence->computed.steps == steps) {
        return result.divergence->computed.hash;
    }
    return result.divergence || result.verdict == Verdict::identical
               ? std::optional(other.divergence->recorded)
               : std::nullopt;
}

/// The search for two runs that differ, in rounds of several runs each.
class Search {
  public:
    Search(const TrialPlan& plan, const TrialResult& first, const TrialResult& again,
           const TrialRunner& run, std::size_t most_fields,
           const std::vector<AxisValue>& again_varies)
        : plan_(plan),
          again_varies_(again_varies),
          run_(run),
          first_(first),
          again_(again),
          most_fields_(most_fields),
          seen_(first_seen(first, again)),
          agreed_(that_parted_first(first, again)),
          first_state_(agreed_.last_agreed_steps.value_or(0)) {}

    Result<std::optional<Disagreement>> find() {
        ISOTICK_TRY(run_rounds());
        ISOTICK_TRY_ASSIGN(auto there, is_found() ? std::nullopt : of_what_was_there());
        if (!is_found() && !(there && there->fields.known)) {
            ISOTICK_TRY(run_rounds());
            ISOTICK_TRY_ASSIGN(there, of_what_was_there());
        }
        const auto difference = find_divergence();
        const bool says_more = difference && (is_found() || !there || !there->fields.known);
        return says_more ? describe(*difference) : std::move(there);
    }

  private:
    [[nodiscard]] StateRange up_to(std::uint64_t last) const {
        const std::uint64_t earliest =
            last < kMostDisagreeingStates ? 0 : last - kMostDisagreeingStates + 1;
        return {std::max(first_state_, earliest), last};
    }

    // Where the runs agree again, the next ones may part later.
    [[nodiscard]] StateRange from_first() const {
        return {first_state_, first_state_ + kMostDisagreeingStates - 1};
    }

    Result<void> run_rounds() {
        bool wants_fields = most_fields_ > 0;
        Isolation isolation = Isolation::fresh;
        const auto known = find_divergence();
        StateRange window = up_to(known ? known->steps : seen_);
        std::size_t further_back = 0;  // the first two agreed longer than these runs
        for (std::size_t round = 0; round < kRounds + further_back && !is_found(); ++round) {
            ISOTICK_TRY(run_over(window, wants_fields, isolation));
            const auto difference = find_divergence();
            if (difference && difference->steps <= first_state_ && further_back < kRounds) {
                first_state_ -= std::min(first_state_, kMostDisagreeingStates - 1);
                ++further_back;
            }
            // Fresh processes that agree may differ from those that are forked from one.
            const bool fork = !difference && round + 2 == kRounds;
            isolation = fork ? Isolation::forked : Isolation::fresh;
            wants_fields = (difference || fork) && most_fields_ > 0;
            window = difference ? up_to(difference->steps) : fork ? up_to(seen_) : from_first();
        }
        return {};
    }

    [[nodiscard]] bool is_found() const {
        const auto difference = find_divergence();
        return difference && is_exact(*difference) && is_shown(*difference);
    }

    [[nodiscard]] TrialPlan further_run(std::size_t number) const {
        TrialPlan plan = plan_;
        if (number % 2 == 1) {
            plan.drive.axes.insert(plan.drive.axes.end(), again_varies_.begin(),
                                   again_varies_.end());
        }
        plan.watch.reset();
        plan.dumps.clear();
        plan.keep_diverged_state = false;
        return plan;
    }

    Result<void> run_over(StateRange window, bool wants_fields, Isolation isolation) {
        std::vector<TrialPlan> plans;
        std::vector<std::optional<SharedFile>> dumps(kRunsAtOnce);
        for (std::size_t i = 0; i < kRunsAtOnce; ++i) {
            plans.push_back(further_run(i));
            plans[i].trace = window;
            if (wants_fields) {
                ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
                plans[i].dumps = {DumpRequest{file.path(), window.last}};
                plans[i].checkpoints_of = window.last;
                dumps[i].emplace(std::move(file));
            }
        }
        ISOTICK_TRY_ASSIGN(auto results, run_(plans, isolation));
        for (std::size_t i = 0; i < kRunsAtOnce; ++i) {
            runs_.push_back({std::move(results[i]), std::move(dumps[i]), window.last});
        }
        return {};
    }

    [[nodiscard]] std::optional<DivergentPair> find_divergence() const {
        std::map<std::uint64_t, core::StateHash> known;
        std::optional<std::uint64_t> diverged;
        for (const Run& run : runs_) {
            for (const StateRecord& state : run.result.trace) {
                const auto [place, is_new] = known.emplace(state.steps, state.hash);
                if (!is_new && place->second != state.hash) {
                    diverged = std::min(diverged.value_or(state.steps), state.steps);
                }
            }
        }
        if (!diverged) {
            return std::nullopt;
        }
        const auto shown = pair_at(*diverged, true);
        return shown ? shown : pair_at(*diverged, false);
    }

    [[nodiscard]] std::optional<DivergentPair> pair_at(std::uint64_t steps, bool shown) const {
        const Run* one = nullptr;
        for (const Run& run : runs_) {
            const StateRecord* state = run.state(steps);
            if (state == nullptr || (shown && !run.shows(steps))) {
                continue;
            }
            if (one == nullptr) {
                one = &run;
            } else if (one->state(steps)->hash != state->hash) {
                return DivergentPair{steps, one, &run};
            }
        }
        return std::nullopt;
    }

    // Whether the state before is known to be the same in both.
    [[nodiscard]] static bool is_exact(const DivergentPair& difference) {
        return difference.steps == 0 || (difference.a->state(difference.steps - 1) != nullptr &&
                                         difference.b->state(difference.steps - 1) != nullptr);
    }

    // Whether the fields are known, or never will be.
    [[nodiscard]] bool is_shown(const DivergentPair& difference) const {
        const auto cannot = [](const Run& run) { return run.result.dump_failed.has_value(); };
        return most_fields_ == 0 || std::any_of(runs_.begin(), runs_.end(), cannot) ||
               (difference.a->shows(difference.steps) && difference.b->shows(difference.steps));
    }

    Result<std::optional<Disagreement>> describe(const DivergentPair& difference) const {
        const StateRecord& a = *difference.a->state(difference.steps);
        const StateRecord& b = *difference.b->state(difference.steps);
        Disagreement found{.ticks_done = a.ticks_done, .a = a.hash, .b = b.hash};
        if (difference.steps > 0 && is_exact(difference)) {
            found.last_agreed = difference.a->state(difference.steps - 1)->ticks_done;
        }
        found.parts = differing_parts({difference.a->result.part_names, a.parts},
                                      {difference.b->result.part_names, b.parts});
        if (is_exact(difference) && difference.a->looked_at(difference.steps) &&
            difference.b->looked_at(difference.steps)) {
            found.phases = compare_checkpoints(difference.a->result, difference.b->result);
        }
        count_outcomes(found, difference.steps);
        ISOTICK_TRY_ASSIGN(found.fields, fields_of(difference));
        if (most_fields_ > 0 && difference.steps > 0 && is_exact(difference)) {
            ISOTICK_TRY_ASSIGN(found.write, write_at(difference.steps));
        }
        return found;
    }

    // By runs of their own: to be watched may change what memory holds.
    [[nodiscard]] Result<std::optional<PartingWrite>> write_at(std::uint64_t steps) const {
        ISOTICK_TRY_ASSIGN(auto found, watched_write_at(steps, 0));
        if (found && may_be_in_new_memory(*found)) {
            ISOTICK_TRY_ASSIGN(auto traced, watched_write_at(steps, kMostForNewMemory));
            return traced && traced->unknown.empty() ? std::move(traced) : std::move(found);
        }
        if (!found || !found->unknown.empty()) {
            return found;
        }
        ISOTICK_TRY_ASSIGN(auto traced, watched_write_at(steps, kMostOfStep));
        if (traced && is_same_write(found->before, traced->before) &&
            is_same_write(found->after, traced->after)) {
            found->origin = std::move(traced->origin);
        }
        return found;
    }

    static bool is_same_write(const std::optional<StateWrite>& a,
                              const std::optional<StateWrite>& b) {
        return a.has_value() == b.has_value() && (!a || (a->path == b->path && a->code == b->code));
    }

    // If the runs are all alike, there are more in another second, which they may depend on.
    [[nodiscard]] Result<std::optional<PartingWrite>> watched_write_at(
        std::uint64_t steps, std::uint64_t instructions) const {
        std::vector<SharedFile> files;
        std::vector<TrialResult> results;
        for (std::size_t round = 0; round < kWatchedRounds; ++round) {
            const auto began = std::chrono::system_clock::now();
            ISOTICK_TRY(run_watched(steps, instructions, files, results));
            for (std::size_t i = 1; i < results.size(); ++i) {
                const auto& [a, b] = std::pair(results.front().trace, results[i].trace);
                if (!a.empty() && !b.empty() && a.back().hash != b.back().hash) {
                    return parting_write_of({results.front(), files.front()},
                                            {results[i], files[i]});
                }
            }
            if (round + 1 < kWatchedRounds) {
                wait_for_another_second(began);
            }
        }
        return std::nullopt;
    }

    Result<void> run_watched(std::uint64_t steps, std::uint64_t instructions,
                             std::vector<SharedFile>& files,
                             std::vector<TrialResult>& results) const {
        std::vector<TrialPlan> plans;
        for (std::size_t i = 0; i < (instructions > 0 ? kTracedAtOnce : kWatchedAtOnce); ++i) {
            ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
            plans.push_back(further_run(i));
            plans.back().trace = StateRange{steps, steps};
            watch_first_writes(plans.back(), steps, file, instructions);
            files.push_back(std::move(file));
        }
        return run_(plans, Isolation::fresh).map([&results](std::vector<TrialResult>&& more) {
            std::ranges::move(more, std::back_inserter(results));
        });
    }

    [[nodiscard]] Result<FieldReport> fields_of(const DivergentPair& difference) const {
        if (most_fields_ == 0) {
            return FieldReport{};
        }
        if (difference.a->shows(difference.steps) && difference.b->shows(difference.steps)) {
            return compare_dumped(*difference.a->dump, difference.a->state(difference.steps)->hash,
                                  *difference.b->dump, difference.b->state(difference.steps)->hash,
                                  most_fields_);
        }
        return FieldReport{false, {}, why_unknown()};
    }

    [[nodiscard]] std::string why_unknown() const {
        for (const Run& run : runs_) {
            std::string why = run.dump ? why_not_dumped(run.result) : "";
            if (!why.empty()) {
                return why;
            }
        }
        return "the runs made to show them agreed";
    }

    void count_outcomes(Disagreement& found, std::uint64_t steps) const {
        std::map<std::uint64_t, std::uint64_t> outcomes;
        for (const Run& run : runs_) {
            if (const StateRecord* state = run.state(steps)) {
                ++found.runs;
                found.most_alike = std::max(found.most_alike, ++outcomes[state->hash.value]);
            }
        }
        found.outcomes = outcomes.size();
    }

    // All further runs were the same. A run that was there before and is not stood on that state.
    [[nodiscard]] Result<std::optional<Disagreement>> of_what_was_there() const {
        for (const TrialResult* odd : {&first_, &again_}) {
            if (!odd->divergence || odd->divergence->computed.steps != seen_) {
                continue;
            }
            for (const Run& run : runs_) {
                const StateRecord* usual = run.state(seen_);
                if (usual != nullptr && usual->hash != odd->divergence->computed.hash) {
                    return of_odd_one(*odd, run);
                }
            }
        }
        return of_the_first_two();
    }

    [[nodiscard]] Result<std::optional<Disagreement>> of_odd_one(const TrialResult& odd,
                                                                 const Run& run) const {
        const StateRecord& a = odd.divergence->computed;
        const StateRecord& b = *run.state(seen_);
        Disagreement found{.ticks_done = a.ticks_done,
                           .a = a.hash,
                           .b = b.hash,
                           .last_agreed = agreed_.last_agreed};
        found.parts = differing_parts({odd.part_names, a.parts}, {run.result.part_names, b.parts});
        found.b_is_further = true;
        count_outcomes(found, seen_);
        return fields_of_odd_one(odd, run).map([&found](FieldReport&& fields) {
            found.fields = std::move(fields);
            return std::optional(std::move(found));
        });
    }

    [[nodiscard]] Result<FieldReport> fields_of_odd_one(const TrialResult& odd,
                                                        const Run& run) const {
        if (most_fields_ == 0) {
            return FieldReport{};
        }
        if (odd.diverged_state.empty() || !run.shows(seen_)) {
            return FieldReport{false, {}, why_unknown()};
        }
        return run.dump->read().map([&](const MappedFile& usual) {
            return compare_dumped({odd.diverged_state, odd.divergence->computed.hash},
                                  {usual.bytes(), run.state(seen_)->hash}, most_fields_);
        });
    }

    // What the first two are known to differ in is all there is.
    [[nodiscard]] std::optional<Disagreement> of_the_first_two() const {
        const auto a = hash_at(first_, seen_, again_.divergence ? again_ : first_);
        const auto b = hash_at(again_, seen_, first_);
        if (!a || !b) {
            return std::nullopt;
        }
        const Divergence& seen =
            first_.divergence->computed.steps == seen_ ? *first_.divergence : *again_.divergence;
        Disagreement found{.ticks_done = seen.computed.ticks_done,
                           .a = *a,
                           .b = *b,
                           .last_agreed = agreed_.last_agreed};
        if (again_.divergence && again_.divergence->computed.steps == seen_ &&
            first_.divergence->computed.steps == seen_) {
            found.parts = differing_parts({first_.part_names, first_.divergence->computed.parts},
                                          {again_.part_names, again_.divergence->computed.parts});
        }
        count_outcomes(found, seen_);
        if (most_fields_ > 0) {
            found.fields = fields_of_the_first_two();
        }
        return found;
    }

    // Of states that both have kept.
    [[nodiscard]] FieldReport fields_of_the_first_two() const {
        if (first_.diverged_state.empty() || again_.diverged_state.empty() ||
            first_.divergence->computed.steps != again_.divergence->computed.steps) {
            return FieldReport{false, {}, why_unknown()};
        }
        return compare_dumped({first_.diverged_state, first_.divergence->computed.hash},
                              {again_.diverged_state, again_.divergence->computed.hash},
                              most_fields_);
    }

    const TrialPlan& plan_;
    const std::vector<AxisValue>& again_varies_;
    const TrialRunner& run_;
    const TrialResult& first_;
    const TrialResult& again_;
    std::size_t most_fields_;
    std::uint64_t seen_;         // steps
    const Divergence& agreed_;   // which both agreed with the recording as long as
    std::uint64_t first_state_;  // of all that are compared, in steps
    std::vector<Run> runs_;
};

}  // namespace

Result<std::optional<Disagreement>> find_disagreement(
    const TrialPlan& plan, const TrialResult& first, const TrialResult& again,
    const TrialRunner& run, std::size_t most_fields, const std::vector<AxisValue>& again_varies) {
    return Search(plan, first, again, run, most_fields, again_varies).find();
}

}  // namespace isotick::harness
