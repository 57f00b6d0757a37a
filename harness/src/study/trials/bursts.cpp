#include "bursts.hpp"

#include "../../axes/axes.hpp"
#include "../../platform/processes/cpu_time.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// Behind how many trials that run in full, whatever could begin in the middle.
std::uint64_t trials_in_full(const VerifyOptions& options) {
    return options.vary.size() + 1 +
           std::max<std::uint64_t>(kFreshTrials, options.perturb.size() + 1);
}

std::uint64_t begins_at(const TrialPlan& burst) {
    return burst.drive.schedule.items().front().count;
}

// The axes of whatever it goes on from.
std::vector<AxisValue> axes_before(const TrialPlan& burst) {
    std::vector<AxisValue> axes = burst.drive.axes;
    std::erase_if(axes, [&](const AxisValue& value) {
        const std::uint64_t frame = first_frame(value);
        return frame > 0 && frame >= begins_at(burst);
    });
    return axes;
}

bool may_lead(const TrialPlan& lead, const TrialPlan& burst) {
    return lead.drive.loop == burst.drive.loop && lead.drive.axes == axes_before(burst) &&
           lead.drive.schedule == core::Schedule::nominal() && lead.inputs.empty();
}

}  // namespace

Bursts::Bursts(VerifyReport& report, const VerifyOptions& options, const TrialRunner& run,
               Tally& tally, std::optional<std::uint64_t> session_ticks)
    : report_(report),
      options_(options),
      run_(run),
      tally_(tally),
      session_ticks_(session_ticks.value_or(0)),
      first_(trials_in_full(options)),
      active_(options.bursts && !options.schedule && session_ticks_ >= kLongSession) {
    std::erase_if(options_.perturb,
                  [](const std::string& name) { return !can_begin_on_the_way(name); });
    if (active_) {
        report_.bursts.emplace();
    }
}

bool Bursts::has(std::uint64_t number) const {
    if (counted_.contains(number)) {
        return true;
    }
    if (!active_ || number < first_ || (number - first_) % kOneInFull == kOneInFull - 1) {
        return false;
    }
    return can_begin_in_the_middle(
        plan_trial(report_.recording, number, 0, {}, report_.head.session.rate, options_)
            .drive.loop);
}

TrialPlan Bursts::plan(std::uint64_t number) const {
    const core::Digest& session = report_.session_digest;
    TrialPlan planned = plan_trial(report_.recording, number, report_.seed, session,
                                   report_.head.session.rate, options_);
    planned.keep_diverged_state = options_.explain.most_fields > 0;
    begin_in_the_middle(planned,
                        core::derive_seed(report_.seed, {session.low, session.high, number, 1}),
                        session_ticks_, report_.head.hash_every);
    for (AxisValue& value : planned.drive.axes) {
        if (std::ranges::find(options_.vary, value) == options_.vary.end()) {  // it was drawn
            value = from_frame(std::move(value), begins_at(planned));
        }
    }
    return planned;
}

std::vector<Bursts::Group> Bursts::group(std::span<const TrialPlan> plans) const {
    std::vector<Group> groups;
    for (const TrialPlan& plan : plans) {
        groups.push_back({LedTrials{plan, {}, true}, {}});
    }
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        const TrialPlan& burst = pending_[i].plan;
        auto group = std::ranges::find_if(
            groups, [&](const Group& one) { return may_lead(one.trials.lead, burst); });
        if (group == groups.end()) {
            TrialPlan lead = burst;
            lead.drive.schedule = core::Schedule::nominal();
            lead.drive.axes = axes_before(burst);
            lead.most_steps = 0;
            group = groups.insert(group, Group{LedTrials{std::move(lead), {}, false}, {}});
        }
        group->trials.bursts.push_back({begins_at(burst), burst});
        group->pending.push_back(i);
    }
    return groups;
}

bool Bursts::have_beginnings() const {
    return active_ && session_ticks_ >= 10 * kLongSession &&
           (options_.budget || options_.trials > first_);
}

// A small part of the session, up to a stored hash.
std::uint64_t Bursts::steps_of_beginnings() const {
    constexpr std::uint64_t kPart = 64;
    const std::uint64_t hash_every = report_.head.hash_every;
    return (session_ticks_ / kPart / hash_every + 1) * hash_every;
}

TrialPlan Bursts::beginning_of(TrialPlan plan) const {
    plan.drive.axes = within(std::move(plan.drive.axes), steps_of_beginnings() / 2);
    return plan;
}

Result<std::vector<TrialResult>> Bursts::run_beginnings(std::span<const TrialPlan> plans) {
    std::vector<TrialPlan> beginnings(plans.begin(), plans.end());
    for (TrialPlan& beginning : beginnings) {
        beginning.most_steps = steps_of_beginnings();
    }
    return run_(beginnings, Isolation::fresh).map([this](std::vector<TrialResult>&& results) {
        cpu_ = cpu_time_so_far();
        return std::move(results);
    });
}

void Bursts::count_beginning(std::uint64_t number, const TrialPlan& plan, TrialResult result) {
    if (failed(result)) {
        counted_.insert(number);
    }
    tally_.count(number, plan, std::move(result), {});
}

Result<std::vector<TrialResult>> Bursts::run_beside(std::span<const TrialPlan> plans,
                                                    std::span<const std::uint64_t> numbers,
                                                    Deadline deadline) {
    pending_.clear();
    for (const std::uint64_t number : numbers) {
        pending_.push_back({number, plan(number)});
    }
    std::ranges::stable_sort(pending_, {},
                             [](const Numbered& burst) { return begins_at(burst.plan); });
    if (pending_.empty()) {
        return run_(plans, Isolation::forked);
    }
    const std::vector<Group> groups = group(plans);
    std::vector<LedTrials> led;
    for (const Group& group : groups) {
        led.push_back(group.trials);
    }
    ISOTICK_TRY_ASSIGN(auto results, options_.bursts(led, deadline));
    std::vector<TrialResult> leads;
    cpu_ = {};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        take(groups[i], results[i]);
        if (i >= plans.size()) {
            continue;
        }
        if (results[i].lead) {
            leads.push_back(*std::move(results[i].lead));
        } else {
            ISOTICK_TRY_ASSIGN(auto again, run_(plans.subspan(i, 1), Isolation::forked));
            leads.push_back(std::move(again.front()));
        }
    }
    return leads;
}

void Bursts::take(const Group& group, LedResults& results) {
    for (std::size_t i = 0; i < group.pending.size(); ++i) {
        pending_[group.pending[i]].ran = std::move(results.bursts[i]);
    }
    if (!group.pending.empty()) {
        cpu_ += std::chrono::nanoseconds(results.cpu_ns);
    }
    if (!group.pending.empty() && !results.why_none.empty()) {
        active_ = false;
        report_.bursts->why_none = results.why_none;
    }
}

Result<void> Bursts::count() {
    const std::size_t failures = report_.failures.size();
    std::uint64_t left = 0;
    for (Numbered& burst : pending_) {
        if (burst.ran) {
            counted_.insert(burst.number);
            ISOTICK_TRY(settle(burst));
        } else {
            ++left;
        }
    }
    if (active_ && report_.failures.size() > failures) {
        report_.bursts->skipped += left;
    }
    pending_.clear();
    return {};
}

// What a burst diverges at is shown by the study of failures, which runs it in a fresh process.
Result<void> Bursts::settle(Numbered& burst) {
    TrialResult& result = burst.ran->result;
    if (failed(result) && result.verdict != Verdict::diverged) {
        ISOTICK_TRY_ASSIGN(auto again, run_(std::array{burst.plan}, Isolation::forked));
        if (failed(again.front())) {
            result = std::move(again.front());
        } else {
            result.verdict = Verdict::nondeterministic;
            result.reason += ", but not when it was run from its beginning";
        }
    }
    tally_.count(burst.number, burst.plan, std::move(result), burst.ran->so_far);
    return {};
}

}  // namespace isotick::harness
