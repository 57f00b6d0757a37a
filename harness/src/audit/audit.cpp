// An audit, from its measurements to its report.

#include "../system/files.hpp"
#include "judge.hpp"
#include "member_names.hpp"
#include "unseen_ranges.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/random.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/detail/survey.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kRangesPerProbe = 16;  // so that several processors have something to do
constexpr std::size_t kMostWriters = 8;

// What seeds are derived for.
enum class Draw : std::uint64_t { calls, restores, poisons, flips };

/// One audit under way.
class Audit {
  public:
    Audit(const std::string& recording, const AuditOptions& options, const ProbeRunner& run)
        : options_(options), run_(run) {
        report_.recording = recording;
    }

    Result<AuditReport> audit() {
        for (auto part : {&Audit::open, &Audit::run_liveness, &Audit::run_restores,
                          &Audit::run_reloads, &Audit::run_first_probes, &Audit::run_memory_probes,
                          &Audit::run_transplants, &Audit::name_culprits, &Audit::find_writers}) {
            ISOTICK_TRY((this->*part)());
            if (!report_.reasons.empty()) {
                return std::move(report_);
            }
        }
        report_.probed = probed_ticks();
        judge(report_);
        return std::move(report_);
    }

  private:
    Result<void> open() {
        ISOTICK_TRY_ASSIGN(const auto survey, replay::survey(report_.recording));
        report_.head = survey.head;
        report_.session_digest = survey.session_digest;
        report_.ticks = survey.ticks;
        ticks_ = std::min(survey.ticks, options_.most_ticks);
        if (ticks_ < survey.ticks) {
            report_.notes.push_back("only the first " + std::to_string(ticks_) + " of " +
                                    std::to_string(survey.ticks) + " ticks were audited");
        }
        if (!survey.damages.empty()) {
            report_.notes.push_back("the recording is damaged; its first " +
                                    std::to_string(survey.ticks) + " ticks are intact");
        }
        return {};
    }

    Result<void> run_liveness() {
        if (!options_.liveness) {
            return {};
        }
        return run({plan(ProbeKind::liveness, {}, ticks_, Draw::calls)});
    }

    Result<void> run_restores() {
        std::vector<ProbePlan> plans;
        for (const std::uint64_t at : draw_states(Draw::restores, options_.restores)) {
            plans.push_back(plan(ProbeKind::restore, {at}, options_.run_on, Draw::restores));
            if (options_.reloads) {
                ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
                plans.back().snapshot = file.path();
                snapshots_.push_back(std::move(file));
            }
        }
        return run(std::move(plans));
    }

    // What has a process for each instance has shown it already.
    Result<void> run_reloads() {
        std::vector<ProbePlan> plans;
        const bool needed = (report_.capabilities & ISOTICK_QUEUES_CALLS) == 0;
        const std::size_t states = std::min(report_.restores.size(), snapshots_.size());
        for (std::size_t i = 0; i < states && needed; ++i) {
            const RestoreFacts& restore = report_.restores[i];
            if (restore.outcome == RestoreOutcome::matched) {
                plans.push_back(
                    plan(ProbeKind::reload, {restore.at}, options_.run_on, Draw::restores));
                plans.back().snapshot = snapshots_[i].path();
                plans.back().fresh = true;
            }
        }
        return run(std::move(plans));
    }

    Result<void> run_first_probes() {
        std::vector<ProbePlan> plans;
        poisoned_states_ = draw_states(Draw::poisons, options_.poison_states);
        plans.push_back(plan(ProbeKind::map, poisoned_states_, 0, Draw::poisons));
        if (options_.flips) {
            plans.push_back(plan(ProbeKind::flip, {poisoned_states_.back()}, options_.poison_run_on,
                                 Draw::flips));
        }
        return run(std::move(plans));
    }

    // Members first, then what holds addresses, and padding with what is left.
    Result<void> run_memory_probes() {
        std::size_t left = options_.most_ranges;
        const auto choose = [&](const auto& wanted) {
            auto ranges = choose_ranges(report_, left, wanted);
            left -= ranges.size();
            return ranges;
        };
        const bool side_by_side = (report_.capabilities & ISOTICK_MANY_INSTANCES) != 0;
        auto ranges = choose([](const UnseenRange& range) {
            return range.kind == RangeKind::untried && !range.piece.padding;
        });
        const auto opaque = choose([&](const UnseenRange& range) {  // whole, so with a name
            return range.kind == RangeKind::pointer && !range.piece.member.empty() &&
                   !range.piece.global && side_by_side;
        });
        const auto padding = choose([](const UnseenRange& range) {
            return range.kind == RangeKind::untried && range.piece.padding;
        });
        ranges.insert(ranges.end(), padding.begin(), padding.end());
        ProbePlan poison =
            plan(ProbeKind::poison, poisoned_states_, options_.poison_run_on, Draw::poisons);
        auto plans = split(ranges, poison);
        poison.opaque = true;
        for (ProbePlan& plan : split(opaque, poison)) {
            plans.push_back(std::move(plan));
        }
        return run(std::move(plans));
    }

    // First what is known to decide the future; only then all the rest. Of a struct it may take all
    // members at once.
    Result<void> run_transplants() {
        const auto differing = first_to_cure();
        if (!differing) {
            return {};
        }
        for (const bool forgotten : {true, false}) {
            const auto ranges =
                choose_ranges(report_, options_.most_ranges, [&](const UnseenRange& range) {
                    return (range.kind == RangeKind::forgotten) == forgotten;
                });
            for (const auto& some : {ranges, structs_of(report_, ranges)}) {
                auto ran = run(split(some, plan(ProbeKind::transplant, {*differing},
                                                options_.run_on, Draw::restores)));
                if (!ran || is_cured(report_)) {
                    return ran;
                }
            }
        }
        return {};
    }

    // Where names were not looked up before, those that matter are now.
    Result<void> name_culprits() {
        if (options_.names || !has_culprits(report_)) {
            return {};
        }
        ProbePlan named = plan(ProbeKind::map, {poisoned_states_.front()}, 0, Draw::poisons);
        named.names = true;
        ISOTICK_TRY_ASSIGN(auto results, run_(std::array{named}));
        report_.work += results.front().work;
        ++report_.probes;
        name_ranges(results.front().types, report_);
        return {};
    }

    // Of what is to blame, the code that has written it when a state is saved without it.
    Result<void> find_writers() {
        const std::uint64_t at = first_to_cure().value_or(poisoned_states_.back());
        const auto ranges = choose_ranges(report_, kMostWriters, is_culprit);
        auto plans = split(ranges, plan(ProbeKind::writer, {at}, 0, Draw::poisons));
        if (const RestoreFacts* const restore = first_unrestored(report_)) {
            plans.push_back(plan(ProbeKind::writer, {restore->at}, 0, Draw::restores));
            plans.back().paths = {restore->difference.fields.front().path};
        }
        return run(std::move(plans));
    }

    // The same plan for some of the ranges each.
    [[nodiscard]] std::vector<ProbePlan> split(const std::vector<MemoryRange>& ranges,
                                               const ProbePlan& plan) const {
        std::vector<ProbePlan> plans;
        for (std::size_t first = 0; first < ranges.size(); first += kRangesPerProbe) {
            const auto some =
                std::span(ranges).subspan(first, std::min(kRangesPerProbe, ranges.size() - first));
            plans.push_back(plan);
            plans.back().ranges.assign(some.begin(), some.end());
            plans.back().globals = globals_of(report_, some);
        }
        return plans;
    }

    // The first restore into a new instance whose future differs.
    [[nodiscard]] std::optional<std::uint64_t> first_to_cure() const {
        for (const RestoreFacts& restore : report_.restores) {
            if (restore.outcome == RestoreOutcome::differs && restore.way == RestoreWay::straight) {
                return restore.at;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] ProbePlan plan(ProbeKind kind, std::vector<std::uint64_t> at,
                                 std::uint64_t run_on, Draw draw) const {
        ProbePlan plan;
        plan.recording = report_.recording;
        plan.environment = options_.environment;
        plan.kind = kind;
        plan.most_ticks = ticks_;
        plan.at = std::move(at);
        plan.run_on = run_on;
        plan.seed = seed(draw);
        plan.ignored_parts = report_.liveness.parts_of_no_state;
        plan.names = options_.names;
        plan.hang_ms = options_.hang_ms;
        return plan;
    }

    [[nodiscard]] std::uint64_t seed(Draw draw) const {
        const core::Digest& session = report_.session_digest;
        return core::derive_seed(session.low, {session.high, static_cast<std::uint64_t>(draw)});
    }

    // One state from each of `count` equal stretches of the session, but neither the first state
    // of all nor the last, which has no future.
    [[nodiscard]] std::vector<std::uint64_t> draw_states(Draw draw, std::uint64_t count) const {
        core::Pcg32 random(seed(draw), 0);
        const std::uint64_t states = ticks_ > 1 ? ticks_ - 1 : 1;
        const std::uint64_t stretches = std::max<std::uint64_t>(std::min(count, states), 1);
        std::vector<std::uint64_t> drawn;
        for (std::uint64_t i = 0; i < stretches; ++i) {
            const auto low = static_cast<std::int64_t>(1 + states * i / stretches);
            const auto high = static_cast<std::int64_t>(states * (i + 1) / stretches);
            drawn.push_back(static_cast<std::uint64_t>(random.between(low, high)));
        }
        return drawn;
    }

    Result<void> run(std::vector<ProbePlan> plans) {
        if (plans.empty()) {
            return {};
        }
        ISOTICK_TRY_ASSIGN(auto results, run_(plans));
        for (std::size_t i = 0; i < plans.size(); ++i) {
            ProbeResult& result = results[i];
            if (result.refused) {
                return tl::unexpected(*result.refused);
            }
            take(plans[i].kind, std::move(result));
        }
        return {};
    }

    void take(ProbeKind kind, ProbeResult result) {
        ++report_.probes;
        report_.work += result.work;
        report_.capabilities = result.capabilities;
        take_output(result.output);
        take_float_leaks(std::move(result.float_leaks));
        if (result.verdict != Verdict::identical) {
            report_.verdict = graver(report_.verdict, result.verdict);
            report_.reasons.push_back(std::move(result.reason));
            return;
        }
        if (kind == ProbeKind::liveness) {
            report_.liveness = std::move(result.liveness);
        } else if (kind == ProbeKind::flip) {
            report_.flips = std::move(result.flips);
        } else if (kind == ProbeKind::map) {
            take_types(std::move(result.types), report_);
            report_.globals = std::move(result.globals);
        }
        for (RestoreFacts& restore : result.restores) {
            if (kind == ProbeKind::restore) {
                report_.restores.push_back(std::move(restore));
            } else if (restore.outcome != RestoreOutcome::matched) {
                take_reload(std::move(restore));
            }
        }
        take_facts(result.poisons, result.transplants, report_);
        take_writers(result.writers, report_);
    }

    void take_reload(RestoreFacts reload) {
        const auto restore = std::ranges::find(report_.restores, reload.at, &RestoreFacts::at);
        if (restore != report_.restores.end()) {
            reload.run_on = restore->run_on;
            reload.snapshot = restore->snapshot;
            *restore = std::move(reload);
        }
    }

    // A probe runs the session from the beginning again, and again; who reads what the simulation
    // says wants each line once.
    void take_output(std::string_view output) {
        while (!output.empty()) {
            const std::size_t end = std::min(output.find('\n'), output.size());
            std::string line(output.substr(0, end));
            output.remove_prefix(std::min(end + 1, output.size()));
            if (printed_.insert(line).second) {
                report_.output += line + "\n";
            }
        }
    }

    void take_float_leaks(std::vector<FloatLeak> leaks) {
        for (FloatLeak& leak : leaks) {
            if (std::ranges::find(report_.float_leaks, leak.call, &FloatLeak::call) ==
                report_.float_leaks.end()) {
                report_.float_leaks.push_back(std::move(leak));
            }
        }
    }

    // Those that follow a state into which something was loaded, or that was tampered with.
    [[nodiscard]] std::uint64_t probed_ticks() const {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> stretches;
        for (const RestoreFacts& restore : report_.restores) {
            stretches.emplace_back(restore.at, restore.at + restore.run_on);
        }
        for (const std::uint64_t at : poisoned_states_) {
            stretches.emplace_back(at, std::min(at + options_.poison_run_on, ticks_));
        }
        std::ranges::sort(stretches);
        std::uint64_t probed = 0;
        std::uint64_t done = 0;
        for (const auto& [begin, end] : stretches) {
            const std::uint64_t from = std::max(begin, done);
            probed += end > from ? end - from : 0;
            done = std::max(done, end);
        }
        return probed;
    }

    const AuditOptions& options_;
    const ProbeRunner& run_;
    AuditReport report_;
    std::uint64_t ticks_ = 0;
    std::vector<std::uint64_t> poisoned_states_;
    std::vector<SharedFile> snapshots_;  // of the restored states, in their order
    std::set<std::string> printed_;
};

}  // namespace

Result<AuditReport> audit(const std::string& recording, const AuditOptions& options,
                          const ProbeRunner& run) {
    return Audit(recording, options, run).audit();
}

Result<std::vector<BlindSpot>> quick_audit(const std::string& recording,
                                           const core::Settings& environment,
                                           const ProbeRunner& run) {
    AuditOptions options;
    options.environment = environment;
    options.most_ticks = 128;
    options.restores = 2;
    options.run_on = 32;
    options.poison_states = 1;
    options.poison_run_on = 16;
    options.most_ranges = 16;
    options.reloads = false;
    options.liveness = false;
    options.flips = false;
    options.names = false;
    return audit(recording, options, run).map([](AuditReport report) {
        return std::move(report.blind_spots);
    });
}

std::string_view to_string(Measurement measurement) {
    switch (measurement) {
        case Measurement::snapshot:
            return "snapshot";
        case Measurement::coverage:
            return "coverage";
        case Measurement::hash:
            return "hash";
        case Measurement::liveness:
            return "liveness";
    }
    return "";
}

std::string_view to_string(RangeKind kind) {
    switch (kind) {
        case RangeKind::unused:
            return "unused";
        case RangeKind::seen:
            return "seen";
        case RangeKind::constant:
            return "constant";
        case RangeKind::derived:
            return "derived";
        case RangeKind::harmless:
            return "harmless";
        case RangeKind::resettable:
            return "resettable";
        case RangeKind::forgotten:
            return "forgotten";
        case RangeKind::unclear:
            return "unclear";
        case RangeKind::doubtful:
            return "doubtful";
        case RangeKind::pointer:
            return "pointer";
        case RangeKind::untried:
            return "untried";
    }
    return "";
}

std::string to_string(const BlindSpot& blind_spot) {
    return blind_spot.name.empty() ? blind_spot.text : blind_spot.name + ": " + blind_spot.text;
}

std::string summary(const std::vector<NamedMember>& members) {
    if (members.empty()) {
        return "";
    }
    return members.size() == 1 ? members.front().path
                               : members.front().path + " … " + members.back().path;
}

}  // namespace isotick::harness
