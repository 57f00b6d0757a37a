#include "judge.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/disagreement.hpp>
#include <isotick/harness/detail/explain.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/replay/reader.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;

// Fresh processes in which a divergence must be the same. Fewer than `replay` asks for: a search
// takes many steps, and what is seldom another is seen in one of them.
constexpr std::size_t kConfirmations = 3;

Judgement unfit(Finding finding, std::string reason) {
    Judgement judgement;
    judgement.finding = finding;
    judgement.reason = std::move(reason);
    return judgement;
}

TrialPlan plan_of(const JudgeOptions& options) {
    TrialPlan plan;
    plan.recording = options.recording;
    plan.environment = options.environment;
    plan.drive = options.drive;
    return plan;
}

/// One build being judged by its hashes.
class Judging {
  public:
    Judging(const JudgeOptions& options, const replay::RecordingHead& head, GoodFields* good,
            const SimulationName& candidate, std::optional<std::uint64_t> most)
        : options_(options),
          head_(head),
          good_(good),
          run_(in_worker_processes(candidate, options.worker)),
          candidate_(candidate),
          most_(most) {
        plan_ = plan_of(options);
        if (most_ && *most_ > 0) {
            const std::uint64_t every = std::max<std::uint64_t>(head.hash_every, 1);
            plan_.until = core::Tick{(*most_ - 1) / every * every + every - 1};  // it has a hash
        }
    }

    Result<Judgement> judge() {
        const auto facts = facts_from_worker(candidate_, options_.worker);
        if (!facts) {
            return unfit(Finding::not_loading, describe(facts.error()));
        }
        if (facts->name != head_.session.simulation) {
            return unfit(Finding::another_simulation,
                         "the recording is of '" + head_.session.simulation +
                             "', the simulation is '" + facts->name + "'");
        }
        if (const auto fits = check_match(head_, *facts); !fits) {
            return by_fields(describe(fits.error()));
        }
        ISOTICK_TRY_ASSIGN(auto results, run_(std::array{plan_}, Isolation::forked));
        return judge(std::move(results.front()));
    }

  private:
    Result<Judgement> judge(TrialResult result) {
        if (result.refused) {
            const bool other_parts =
                !result.part_names.empty() && result.part_names != head_.part_names;
            return other_parts ? by_fields(describe(*result.refused))
                               : unfit(Finding::not_comparable, describe(*result.refused));
        }
        Judgement judgement;
        judgement.printed = result.output;
        switch (result.verdict) {
            case Verdict::identical:
            case Verdict::inconclusive:  // no hash was compared up to here
                return judgement;
            case Verdict::diverged:
                return look_into(std::move(result), std::move(judgement));
            case Verdict::unreadable:
                return core::fail(ErrorCode::damaged, result.reason);
            case Verdict::nondeterministic:
            case Verdict::crashed:
            case Verdict::timed_out:
            case Verdict::stalled:
                judgement.finding = result.verdict == Verdict::nondeterministic
                                        ? Finding::nondeterministic
                                        : Finding::crashed;
                judgement.reason = result.reason;
                return judgement;
        }
        return judgement;
    }

    Result<Judgement> look_into(TrialResult result, Judgement judgement) {
        ISOTICK_TRY_ASSIGN(const auto again,
                           run_(std::vector<TrialPlan>(kConfirmations, plan_), Isolation::fresh));
        for (const TrialResult& one : again) {
            confirm_divergence(result, one);
            if (result.verdict == Verdict::nondeterministic) {
                return part(result, one, std::move(judgement));
            }
        }
        return explain_it(result, std::move(judgement));
    }

    // What can still be said where hashes cannot be the same, for this `reason`.
    Result<Judgement> by_fields(const std::string& reason) {
        return good_ != nullptr
                   ? judge_by_fields(*good_, run_, most_, options_.choice, options_.most_fields)
                   : unfit(Finding::not_comparable, reason);
    }

    // Where and in which fields two runs of it part.
    Result<Judgement> part(const TrialResult& result, const TrialResult& again,
                           Judgement judgement) {
        judgement.finding = Finding::nondeterministic;
        judgement.reason = result.reason;
        ISOTICK_TRY_ASSIGN(auto diverged,
                           find_disagreement(plan_, result, again, run_, options_.most_fields));
        if (diverged) {
            judgement.signature =
                signature_of(diverged->ticks_done, diverged->fields, diverged->ticks_done);
            judgement.fields = std::move(diverged->fields);
        }
        return judgement;
    }

    Result<Judgement> explain_it(const TrialResult& result, Judgement judgement) {
        judgement.finding = Finding::diverged;
        const ExplainOptions how{options_.most_fields, good_ ? &good_->run() : nullptr,
                                 recorded_schedule(head_.notes)};
        const auto explained = good_ ? explain(plan_, result, run_, how) : from_divergence(result);
        if (!explained) {
            return tl::unexpected(explained.error());
        }
        if (good_ && !shows_desync(explained->fields)) {
            return by_fields("");
        }
        judgement.signature = signature_of(explained->ticks_done, explained->fields,
                                           result.divergence->computed.ticks_done);
        if (!explained->recorded_side_runs) {
            judgement.signature->agreed_to = result.divergence->last_agreed;
        }
        judgement.fields = explained->fields;
        judgement.write = explained->write;
        return is_exact(*judgement.signature) && most_ && judgement.signature->ticks_done > *most_
                   ? Judgement()  // it differs behind what was asked about
                   : judgement;
    }

    // A state that is made of other fields has another hash, and so has one with other values in
    // fields that do not count: neither is a desync.
    [[nodiscard]] bool shows_desync(const FieldReport& fields) const {
        return !fields.known || fields.differences.total == 0 || !counted(fields).empty();
    }

    [[nodiscard]] std::vector<std::string> counted(const FieldReport& fields) const {
        std::vector<std::string> kinds = shared_fields(fields.differences);
        std::erase_if(kinds,
                      [this](const std::string& kind) { return !options_.choice.counts(kind); });
        return kinds;
    }

    [[nodiscard]] Signature signature_of(std::uint64_t ticks_done, const FieldReport& fields,
                                         std::uint64_t seen_at) const {
        Signature signature{ticks_done, {}, {}, fields.known, seen_at};
        if (fields.known) {
            signature.fields = counted(fields);
        }
        return signature;
    }

    const JudgeOptions& options_;
    const replay::RecordingHead& head_;
    GoodFields* good_;  // null: there is no good build to look at
    TrialRunner run_;
    const SimulationName& candidate_;
    std::optional<std::uint64_t> most_;
    TrialPlan plan_;
};

}  // namespace

const char* to_string(Finding finding) {
    switch (finding) {
        case Finding::identical:
            return "identical";
        case Finding::diverged:
            return "diverged";
        case Finding::nondeterministic:
            return "nondeterministic";
        case Finding::crashed:
            return "crashes";
        case Finding::not_loading:
            return "does not load";
        case Finding::another_simulation:
            return "is another simulation";
        case Finding::not_comparable:
            return "cannot be compared";
    }
    return "";
}

Result<Judge> Judge::make(JudgeOptions options) {
    ISOTICK_TRY_ASSIGN(const auto reader, replay::Reader::open(options.recording));
    replay::RecordingHead head = reader.head();
    std::shared_ptr<GoodFields> good;
    if (options.good) {
        good = std::make_shared<GoodFields>(plan_of(options),
                                            in_worker_processes(*options.good, options.worker));
    }
    return Judge(std::move(options), std::move(head), std::move(good));
}

Result<Judgement> Judge::judge(const SimulationName& candidate,
                               std::optional<std::uint64_t> most) const {
    return Judging(options_, head_, good_.get(), candidate, most).judge();
}

}  // namespace isotick::harness::bisect
