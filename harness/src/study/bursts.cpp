#include "bursts.hpp"

#include "../axes/axes.hpp"
#include "../system/process.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace isotick::harness {
namespace {

void count_loads(const TrialStatistics& one, TrialStatistics& all) {
    if (one.state_loads > 0) {
        all.least_ticks_back = all.state_loads == 0
                                   ? one.least_ticks_back
                                   : std::min(all.least_ticks_back, one.least_ticks_back);
        all.most_ticks_back = std::max(all.most_ticks_back, one.most_ticks_back);
        all.state_loads += one.state_loads;
        all.ticks_undone += one.ticks_undone;
    }
}

}  // namespace

TrialStatistics without(TrialStatistics all, const TrialStatistics& part) {
    all.ticks -= part.ticks;
    all.frames -= part.frames;
    all.hashes_compared -= part.hashes_compared;
    all.inputs_present -= part.inputs_present;
    return all;
}

std::uint64_t union_of(std::span<const std::pair<std::uint64_t, std::uint64_t>> stretches) {
    std::uint64_t covered = 0;
    std::uint64_t end = 0;
    for (const auto& [first, behind] : stretches) {
        covered += behind > end ? behind - std::max(first, end) : 0;
        end = std::max(end, behind);
    }
    return covered;
}

void add_statistics(const TrialStatistics& one, bool is_first, TrialStatistics& all) {
    all.least_ticks_per_frame =
        is_first ? one.least_ticks_per_frame
                 : std::min(all.least_ticks_per_frame, one.least_ticks_per_frame);
    all.most_ticks_per_frame = std::max(all.most_ticks_per_frame, one.most_ticks_per_frame);
    all.ticks += one.ticks;
    all.ticks_reached = std::max(all.ticks_reached, one.ticks_reached);
    all.frames += one.frames;
    all.hashes_compared += one.hashes_compared;
    all.inputs_present += one.inputs_present;
    all.schedule_repeats += one.schedule_repeats;
    count_loads(one, all);
    all.hash_changed = all.hash_changed || one.hash_changed;
}

bool failed(const TrialResult& result) {
    return result.verdict != Verdict::identical;
}

void Tally::set_nominal(const TrialResult& nominal) {
    nominal_ = nominal;
    report_.grounds.nominal = nominal.statistics;
    report_.grounds.nominal_is_fresh = nominal.fresh;
}

bool Tally::stops_at_damage(const TrialResult& result) const {
    return nominal_.verdict == Verdict::unreadable && result.verdict == Verdict::unreadable &&
           result.statistics.hashes_compared > 0 && result.damaged_at == nominal_.damaged_at;
}

void Tally::count(std::uint64_t number, const TrialPlan& plan, TrialResult result) {
    add_statistics(result.statistics, report_.trials == 0, report_.total);
    report_.grounds.loop_went_back =
        report_.grounds.loop_went_back ||
        (result.statistics.state_loads > 0 && !have_course(plan.drive.axes));
    ++report_.trials;
    report_.fresh_trials += result.fresh ? 1 : 0;
    note_reads(plan, result);
    if (report_.bad_end.empty()) {
        report_.bad_end = result.bad_end;
    }
    for (PerturbedAxis& perturbed : report_.perturbed) {
        perturbed.trials += plan.drive.varies(perturbed.axis) ? 1U : 0U;
    }
    if (failed(result) && !stops_at_damage(result)) {
        report_.failures.push_back({number, plan, std::move(result), {}, {}});
    } else {
        ++report_.trials_identical;
    }
}

void Tally::count(std::uint64_t number, const TrialPlan& plan, TrialResult result,
                  const TrialStatistics& so_far) {
    TrialStatistics& statistics = result.statistics;
    const std::uint64_t reached = std::max(statistics.ticks_reached, so_far.ticks_reached);
    report_.grounds.stretches.emplace_back(so_far.ticks_reached, reached);
    const TrialStatistics whole = statistics;
    statistics = without(statistics, so_far);
    BurstCoverage& bursts = report_.bursts.emplace(report_.bursts.value_or(BurstCoverage()));
    ++bursts.trials;
    bursts.ticks += statistics.ticks;
    count(number, plan, std::move(result));
    if (!report_.failures.empty() && report_.failures.back().number == number) {
        report_.failures.back().result.statistics = whole;  // as anyone who runs it again sees
    }
}

// A trial that ended early may have looked at it later.
void Tally::note_reads(const TrialPlan& plan, const TrialResult& result) {
    for (const auto& [name, value] : plan.drive.axes) {
        const bool unread = std::ranges::find(result.unread, name) != result.unread.end();
        if (failed(result) || !unread) {
            read_.insert(name);
        } else {
            unread_.insert(name);
        }
    }
}

void Tally::finish() {
    std::ranges::sort(report_.failures, {}, &FailedTrial::number);
    std::ranges::sort(report_.grounds.stretches);
    if (report_.bursts) {
        report_.bursts->covered = union_of(report_.grounds.stretches);
    }
    report_.grounds.read.assign(read_.begin(), read_.end());
    report_.grounds.unread.assign(unread_.begin(), unread_.end());
}

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

namespace {

// A schedule that ends would begin again with the nominal frames: its own are enough.
core::Schedule behind_nominal(std::uint64_t frames, const core::Schedule& schedule,
                              std::uint64_t ticks) {
    const core::Schedule nominal = core::Schedule::nominal();
    std::vector<core::ScheduleItem> items(nominal.items().begin(), nominal.items().end());
    items.front().count = frames;
    std::uint64_t own = 0;
    do {
        for (const core::ScheduleItem& item : schedule.items()) {
            items.push_back(item);
            own += item.count;
        }
    } while (schedule.may_end() && own < 4 * ticks);
    return core::Schedule::from_items(items).value_or(schedule);
}

}  // namespace

bool can_begin_in_the_middle(const core::LoopOptions& loop) {
    const core::LoopInfo& info = core::info_of(loop.kind);
    return info.constant_dt && !info.own_thread;
}

void begin_in_the_middle(TrialPlan& plan, std::uint64_t seed, std::uint64_t session_ticks,
                         std::uint32_t hash_every) {
    core::Pcg32 random(seed);
    const std::uint64_t length = kBurstLengths[random.below(kBurstLengths.size())];
    const auto first = static_cast<std::uint64_t>(
        random.between(1, static_cast<std::int64_t>(session_ticks - kBurstLengths.front())));
    plan.drive.schedule = behind_nominal(first, plan.drive.schedule, length);
    const std::uint64_t end = first + length + hash_every - 1;
    plan.most_steps = end - end % hash_every;
}

}  // namespace isotick::harness
