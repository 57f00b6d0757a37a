#include "tally.hpp"

#include "../../axes/axes.hpp"

#include <algorithm>
#include <iterator>

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

// What it did itself.
TrialStatistics without(TrialStatistics all, const TrialStatistics& so_far) {
    all.ticks -= so_far.ticks;
    all.frames -= so_far.frames;
    all.hashes_compared -= so_far.hashes_compared;
    all.inputs_present -= so_far.inputs_present;
    return all;
}

// How many numbers lie in one of the stretches or more; their ends are not in them.
std::uint64_t union_of(std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches) {
    std::ranges::sort(stretches);
    std::uint64_t covered = 0;
    std::uint64_t end = 0;
    for (const auto& [first, behind] : stretches) {
        covered += behind > end ? behind - std::max(first, end) : 0;
        end = std::max(end, behind);
    }
    return covered;
}

}  // namespace

bool failed(const TrialResult& result) {
    return result.verdict != Verdict::identical;
}

bool Tally::stops_at_damage(const TrialResult& result) const {
    return nominal_.verdict == Verdict::unreadable && result.verdict == Verdict::unreadable &&
           result.statistics.hashes_compared > 0 && result.damaged_at == nominal_.damaged_at;
}

void Tally::count(std::uint64_t number, const TrialPlan& plan, TrialResult result) {
    add(result.statistics);
    loop_went_back_ =
        loop_went_back_ || (result.statistics.state_loads > 0 && !have_course(plan.drive.axes));
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
    stretches_.emplace_back(so_far.ticks_reached, reached);
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

void Tally::add(const TrialStatistics& one) {
    TrialStatistics& all = report_.total;
    all.least_ticks_per_frame =
        report_.trials == 0 ? one.least_ticks_per_frame
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
    if (report_.bursts) {
        report_.bursts->covered = union_of(stretches_);
    }
}

std::vector<std::string> Tally::never_read() const {
    std::vector<std::string> names;
    std::ranges::set_difference(unread_, read_, std::back_inserter(names));
    return names;
}

}  // namespace isotick::harness
