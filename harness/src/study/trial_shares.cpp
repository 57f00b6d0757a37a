#include "trial_shares.hpp"

#include "../run/message_archives.hpp"
#include "../run/message_fields.hpp"
#include "bursts.hpp"
#include "verdict_grounds.hpp"

#include <isotick/core/random.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace isotick::harness {

bool TrialShare::has(std::uint64_t trial) const {
    return trial == 0 || (trial + core::derive_seed(trial / count, {count})) % count == number - 1;
}

namespace {

bool fails_at_once(const VerifyReport& report) {
    return !report.failures.empty() && report.failures.front().number == 0;
}

void unite(std::vector<std::string>& names, const std::vector<std::string>& others) {
    std::vector<std::string> all;
    std::ranges::set_union(names, others, std::back_inserter(all));
    names = std::move(all);
}

// An axis that one machine cannot vary, another may.
void add_axes(const VerifyReport& share, VerifyReport& whole) {
    for (const PerturbedAxis& axis : share.perturbed) {
        const auto known = std::ranges::find(whole.perturbed, axis.axis, &PerturbedAxis::axis);
        if (known == whole.perturbed.end()) {
            whole.perturbed.push_back(axis);
        } else {
            known->trials += axis.trials;
        }
    }
    for (const UnvariedAxis& axis : share.unvaried) {
        if (std::ranges::find(whole.unvaried, axis.axis, &UnvariedAxis::axis) ==
            whole.unvaried.end()) {
            whole.unvaried.push_back(axis);
        }
    }
}

void drop_contradictions(VerifyReport& whole) {
    const auto is_varied = [&whole](const UnvariedAxis& unvaried) {
        return std::ranges::any_of(whole.perturbed, [&unvaried](const PerturbedAxis& axis) {
            return axis.axis == unvaried.axis && axis.trials > 0;
        });
    };
    std::erase_if(whole.unvaried, is_varied);
    std::erase_if(whole.perturbed, [&whole](const PerturbedAxis& axis) {
        return std::ranges::find(whole.unvaried, axis.axis, &UnvariedAxis::axis) !=
               whole.unvaried.end();
    });
}

void add_bursts(const BurstCoverage& share, BurstCoverage& whole) {
    whole.trials += share.trials;
    whole.ticks += share.ticks;
    whole.skipped += share.skipped;
    if (whole.why_none.empty()) {
        whole.why_none = share.why_none;
    }
}

void add_grounds(VerdictGrounds& share, VerdictGrounds& whole) {
    whole.inputs_mattered = whole.inputs_mattered && share.inputs_mattered;
    whole.loop_went_back = whole.loop_went_back || share.loop_went_back;
    unite(whole.read, share.read);
    unite(whole.unread, share.unread);
    std::ranges::move(share.stretches, std::back_inserter(whole.stretches));
    if (!whole.damage) {
        whole.damage = std::move(share.damage);
    }
}

void take_if_none(std::string& text, std::string& other) {
    if (text.empty()) {
        text = std::move(other);
    }
}

// Of the share's numbers, those of its own trials.
void add_share(VerifyReport& share, VerifyReport& whole) {
    const bool failed_at_once = fails_at_once(share);
    if (failed_at_once && !fails_at_once(whole)) {
        whole.failures.insert(whole.failures.begin(), std::move(share.failures.front()));
        --whole.trials_identical;
    }
    share.failures.erase(share.failures.begin(), share.failures.begin() + (failed_at_once ? 1 : 0));
    take_if_none(whole.note, share.note);
    take_if_none(whole.bad_end, share.bad_end);
    take_if_none(whole.nan, share.nan);
    whole.ticks = std::max(whole.ticks, share.ticks);
    whole.frames_reach_it = whole.frames_reach_it || share.frames_reach_it;
    add_axes(share, whole);
    if (share.trials <= 1) {
        return;
    }
    whole.trials += share.trials - 1;
    whole.trials_identical += share.trials_identical - (failed_at_once ? 0 : 1);
    whole.fresh_trials += share.fresh_trials - (share.grounds.nominal_is_fresh ? 1 : 0);
    add_statistics(without(share.total, share.grounds.nominal), false, whole.total);
    if (share.bursts && whole.bursts) {
        add_bursts(*share.bursts, *whole.bursts);
    }
    add_grounds(share.grounds, whole.grounds);
    std::ranges::move(share.failures, std::back_inserter(whole.failures));
}

}  // namespace

VerifyReport whole_of(std::vector<VerifyReport> shares) {
    const auto failed = std::ranges::count_if(shares, fails_at_once);
    const std::size_t count = shares.size();
    VerifyReport whole = std::move(shares.front());
    for (std::size_t i = 1; i < count; ++i) {
        add_share(shares[i], whole);
    }
    whole.grounds.share.reset();
    if (failed > 0 && static_cast<std::size_t>(failed) < count) {
        whole.grounds.before.push_back(
            fmt::format("trial 0 failed in {} of {} parts: their machines differ, or it does not "
                        "always give the same bits",
                        failed, count));
    }
    std::ranges::stable_sort(whole.failures, {}, &FailedTrial::number);
    drop_contradictions(whole);
    std::ranges::sort(whole.grounds.stretches);
    if (whole.bursts) {
        whole.bursts->covered = union_of(whole.grounds.stretches);
    }
    judge_by_grounds(whole);
    if (whole.verdict == Verdict::nondeterministic) {
        whole.blind_spots.clear();  // as verify looks for none then
    }
    return whole;
}

// A file must not name another, as the schedule of a whole plan can.
template <>
struct CarriedAs<FailedTrial> {
    struct Gist {
        std::uint64_t number = 0;
        Verdict verdict = Verdict::identical;
        bool diverged = false;
    };
    static Gist to(const FailedTrial& failure) {
        return {failure.number, failure.result.verdict, failure.result.divergence.has_value()};
    }
    static FailedTrial from(const Gist& gist) {
        FailedTrial failure;
        failure.number = gist.number;
        failure.result.verdict = gist.verdict;
        if (gist.diverged) {
            failure.result.divergence.emplace();
        }
        return failure;
    }
};

template <>
struct CarriedAs<std::chrono::milliseconds> {
    static std::int64_t to(std::chrono::milliseconds time) { return time.count(); }
    static std::chrono::milliseconds from(std::int64_t time) {
        return std::chrono::milliseconds(time);
    }
};

template <>
inline constexpr auto kLastOf<Measurement> = Measurement::liveness;

std::string report_to_bytes(const VerifyReport& report) {
    return to_bytes(report);
}

core::Result<VerifyReport> report_from_bytes(std::string_view bytes) {
    return from_bytes<VerifyReport>(bytes);
}

}  // namespace isotick::harness
