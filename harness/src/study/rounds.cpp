#include "rounds.hpp"

#include "../axes/axes.hpp"
#include "../system/process.hpp"
#include "bursts.hpp"

#include <isotick/core/detail/random_schedule.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/verify.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// A round of bursts pays for the lead that each of its workers runs.
constexpr std::uint64_t kSessionsPerRound = 4;
// Trials in full show what is far from its cause: they get a quarter of the time.
constexpr int kBurstsToFull = 3;

constexpr std::uint64_t mean_length() {
    std::uint64_t sum = 0;
    for (const std::uint64_t length : kBurstLengths) {
        sum += length;
    }
    return sum / kBurstLengths.size();
}

}  // namespace

std::vector<std::uint64_t> Rounds::next_bursts(std::uint64_t ticks) {
    std::vector<std::uint64_t> numbers;
    const std::uint64_t wanted = std::max<std::uint64_t>(ticks / mean_length(), 1);
    while (bursts_.any() && numbers.size() < wanted) {
        const std::uint64_t number = next_burst_++;
        if (bursts_.has(number)) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

std::vector<std::uint64_t> Rounds::next_in_full(std::uint64_t count) {
    std::vector<std::uint64_t> numbers;
    while (numbers.size() < count && (end_number_ == 0 || next_in_full_ < end_number_)) {
        const std::uint64_t number = next_in_full_++;
        if (!bursts_.has(number)) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

bool Rounds::is_turn_of_full(Clock::time_point now) const {
    return !bursts_.any() ||
           (spent_on_full_ * kBurstsToFull <= spent_on_bursts_ && now + in_full_ < end_);
}

Result<void> Rounds::run(std::chrono::milliseconds budget, std::chrono::nanoseconds in_full,
                         std::uint64_t end) {
    end_number_ = end;
    const Clock::time_point begin = Clock::now();
    end_ = begin + budget;
    in_full_ = std::chrono::duration_cast<Clock::duration>(in_full);
    // The bursts of trial 0 are a first round, that took no time of its own.
    spent_on_bursts_ = bursts_.any() ? in_full_ : Clock::duration{};
    cpu_ = report_.failures.empty() ? cpu_time_so_far() : bursts_.cpu();
    for (auto now = begin; report_.failures.empty() && now < end_; now = Clock::now()) {
        if (is_turn_of_full(now)) {
            const std::uint64_t before = report_.trials;
            ISOTICK_TRY(run_some_in_full(now));
            spent_on_full_ += Clock::now() - now;
            if (report_.trials == before) {
                return {};
            }
        } else {
            ISOTICK_TRY(run_bursts());
            spent_on_bursts_ += Clock::now() - now;
        }
    }
    return {};
}

Result<void> Rounds::run_bursts() {
    const auto numbers = next_bursts(kSessionsPerRound * report_.ticks);
    ISOTICK_TRY(bursts_.run_beside({}, numbers, end_));
    ISOTICK_TRY(bursts_.count());
    cpu_ = report_.failures.empty() ? cpu_time_so_far() : cpu_ + bursts_.cpu();
    return {};
}

// More at a time where they are short, so that no worker waits for long.
Result<void> Rounds::run_some_in_full(Clock::time_point now) {
    ISOTICK_TRY(run_in_full_(next_in_full(batch_)));
    cpu_ = cpu_time_so_far();
    const Clock::time_point later = Clock::now();
    batch_ *= (later - now) * 16 < end_ - later ? 2U : 1U;
    return {};
}

namespace {

// Of the values that this axis has, one that changes something here.
std::vector<AxisValue> draw_alone(const std::string& axis, std::uint64_t seed) {
    constexpr std::uint64_t kTries = 16;  // as many as tell whether the axis is varied at all
    for (std::uint64_t attempt = 0; attempt < kTries; ++attempt) {
        if (auto drawn =
                draw_axis(axis, attempt == 0 ? seed : core::derive_seed(seed, {attempt}))) {
            return {*std::move(drawn)};
        }
    }
    return {};
}

// Whether trial `number` varies one drawn axis, and nothing else but its frames.
bool is_alone(const VerifyOptions& options, std::uint64_t number) {
    const std::uint64_t first = options.vary.size() + 2;  // after the one with frames alone
    return number >= first && number < first + options.perturb.size();
}

// For trial number `number` of those that vary more than one setting.
std::vector<AxisValue> draw(const VerifyOptions& options, std::uint64_t number,
                            std::uint64_t seed) {
    if (number == 0) {  // frames alone
        return {};
    }
    if (number <= options.perturb.size()) {
        return draw_alone(options.perturb[number - 1], seed);
    }
    if (!options.spare_processes || number < kFreshTrials) {
        return draw_axes(options.perturb, seed);
    }
    std::vector<std::string> names = options.perturb;
    std::erase_if(names, is_of_process);
    return draw_axes(names, seed);
}

}  // namespace

TrialPlan plan_trial(const std::string& recording, std::uint64_t number, std::uint64_t root_seed,
                     const core::Digest& session, core::TickRate rate,
                     const VerifyOptions& options) {
    TrialPlan plan;
    plan.recording = recording;
    plan.environment = options.environment;
    plan.most_frames = options.most_frames;
    const std::uint64_t settings = options.vary.size();
    // 0: as usual. A setting that fails must not hide what an axis does alone.
    const std::uint64_t setting = is_alone(options, number) ? 0 : number % (settings + 1);
    // With a course each further trial would be the same again.
    if (setting != 0 && (number <= settings || !have_course({options.vary[setting - 1]}))) {
        plan.drive.axes = {options.vary[setting - 1]};
    }
    if (number <= settings) {
        return plan;
    }
    plan.drive.loop = options.loops[(number / (settings + 1) - 1) % options.loops.size()];
    const std::uint64_t seed = core::derive_seed(root_seed, {session.low, session.high, number});
    const auto draw_schedule = plan.drive.loop.kind == core::LoopKind::reversible
                                   ? core::random_reversing_schedule
                                   : core::random_schedule;
    plan.drive.schedule = options.schedule ? *options.schedule : draw_schedule(seed, rate);
    for (AxisValue& drawn : draw(options, number - settings - 1, seed)) {
        if (!plan.drive.varies(drawn.axis)) {
            plan.drive.axes.push_back(std::move(drawn));
        }
    }
    if (have_course(plan.drive.axes)) {  // in the place of loop and schedule
        plan.drive.loop = {};
        plan.drive.schedule = core::Schedule::nominal();
    }
    return plan;
}

}  // namespace isotick::harness
