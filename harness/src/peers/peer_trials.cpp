#include "peer_trials.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/course.hpp>

#include <algorithm>
#include <fstream>
#include <utility>

namespace isotick::harness {

using core::Result;

Result<std::shared_ptr<SharedFile>> offline_hashes(const SessionSource& source,
                                                   const InputEdits& edits, std::uint64_t ticks) {
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    TrialPlan plan;
    plan.recording = source.recording;
    plan.environment = source.options.environment;
    plan.inputs = edits;
    plan.until = core::Tick{ticks - 1};
    plan.hashes = HashFile{file.path(), HashFile::Use::write};
    ISOTICK_TRY_ASSIGN(const auto results, source.run({&plan, 1}, Isolation::forked));
    const TrialResult& result = results.front();
    if (result.refused) {
        return tl::unexpected(*result.refused);
    }
    if (result.verdict != Verdict::identical) {
        return core::fail(core::ErrorCode::simulation,
                          "the offline replay without the inputs of those who were not there "
                          "ended as " +
                              std::string(to_string(result.verdict)) + ": " + result.reason);
    }
    return std::make_shared<SharedFile>(std::move(file));
}

Result<PeerTrials> PeerTrials::prepare(const SessionSource& source, LockstepPlan plan,
                                       std::uint64_t number, const std::string& folder,
                                       const SessionOptions& how) {
    PeerTrials trials(source);
    trials.trial_.number = number;
    trials.trial_.plan = std::move(plan);
    ISOTICK_TRY(trials.compute(how));
    ISOTICK_TRY(trials.make_offline());
    ISOTICK_TRY(trials.make_plans(folder));
    return trials;
}

Result<void> PeerTrials::compute(const SessionOptions& how) {
    SessionOptions options = how;
    options.rate = source_->rate;
    options.snapshot_bytes = source_->snapshot_bytes;
    ISOTICK_TRY_ASSIGN(session_, compute_session(trial_.plan, source_->inputs, options));
    trial_.ticks = session_.ticks;
    trial_.end = session_.end;
    trial_.ended_ns = session_.ended_ns;
    trial_.traffic = session_.traffic;
    trial_.absences = session_.absences;
    trial_.missed = session_.missed;
    trial_.logged = std::move(session_.packets);
    return {};
}

Result<void> PeerTrials::make_offline() {
    offline_.recording = source_->recording;
    offline_.environment = source_->options.environment;
    offline_.inputs = session_.absences;
    offline_.until = core::Tick{session_.ticks - 1};
    std::shared_ptr<SharedFile> hashes = source_->every_hash;
    if (!session_.absences.empty()) {
        ISOTICK_TRY_ASSIGN(hashes, offline_hashes(*source_, session_.absences, session_.ticks));
    }
    if (hashes) {
        offline_.hashes = HashFile{hashes->path(), HashFile::Use::compare};
        hashes_ = std::move(hashes);
    }
    return {};
}

Result<std::string> PeerTrials::keep_file() {
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    return files_.emplace_back(std::move(file)).path();
}

Result<void> PeerTrials::make_plans(const std::string& folder) {
    std::vector<std::map<std::uint64_t, std::string>> given(session_.runs.size());
    for (PeerRun& run : session_.runs) {
        if (run.course.first_tick == 0) {
            run.donor.reset();  // the initial state needs no snapshot
        }
        if (run.donor) {
            std::string& file = given[*run.donor][run.course.first_tick];
            if (file.empty()) {
                ISOTICK_TRY_ASSIGN(file, keep_file());
            }
        }
    }
    for (std::size_t i = 0; i < session_.runs.size(); ++i) {
        PeerRun& run = session_.runs[i];
        TrialPlan plan = offline_;
        plan.until.reset();
        CourseRequest course;
        ISOTICK_TRY_ASSIGN(course.path, keep_file());
        ISOTICK_TRY(write_course(course.path, run.course));
        for (const auto& [ticks_done, file] : given[i]) {
            course.save_at.push_back({file, ticks_done});
        }
        course.begin_from = run.donor ? given[*run.donor][run.course.first_tick] : "";
        if (!folder.empty() && run.course.first_tick == 0 && run.incarnation == 0) {
            course.recording = folder + "/peer-" + std::to_string(run.peer) + ".isotick";
            if (!std::ofstream(course.recording)) {
                return tl::unexpected(core::Error{
                    core::ErrorCode::io, "cannot be written", course.recording, {}, {}});
            }
        }
        steps_.push_back(run.course.steps.size());
        run.course = Course{run.course.first_tick, {}, {}, {}};
        plan.course = std::move(course);
        plans_.push_back(std::move(plan));
    }
    results_.resize(plans_.size());
    return {};
}

void PeerTrials::leave_only(std::uint32_t peer) {
    std::vector<bool> needed(plans_.size());
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < plans_.size(); ++i) {
            const auto& runs = session_.runs;
            const bool gives = std::ranges::any_of(runs, [&](const PeerRun& run) {
                return run.donor == i && needed[static_cast<std::size_t>(&run - runs.data())];
            });
            if (!needed[i] && (runs[i].peer == peer || gives)) {
                needed[i] = more = true;
            }
        }
    }
    for (std::size_t i = 0; i < plans_.size(); ++i) {
        if (!needed[i]) {
            results_[i].emplace();
        }
    }
}

bool PeerTrials::has_more() const {
    return std::ranges::any_of(results_, [](const auto& result) { return !result.has_value(); });
}

std::vector<PeerTrials::Next> PeerTrials::next() {
    std::vector<Next> next;
    under_way_.clear();
    for (std::size_t i = 0; i < plans_.size(); ++i) {
        const PeerRun& run = session_.runs[i];
        if (results_[i] || (run.donor && !results_[*run.donor])) {
            continue;
        }
        const bool has_snapshot = !run.donor || results_[*run.donor]->verdict == Verdict::identical;
        if (steps_[i] == 0 || !has_snapshot) {
            results_[i].emplace();  // it did nothing, or does nothing now
            if (!has_snapshot) {
                results_[i]->verdict = Verdict::inconclusive;
                results_[i]->reason = "whoever should give it a snapshot failed";
            }
            continue;
        }
        under_way_.push_back(i);
        next.push_back({run.peer, plans_[i]});
    }
    return next;
}

void PeerTrials::take(std::vector<TrialResult> results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        results_[under_way_[i]] = std::move(results[i]);
    }
}

LockstepTrial PeerTrials::finish() {
    for (std::size_t i = 0; i < results_.size(); ++i) {
        trial_.outcomes.push_back({std::move(session_.runs[i]), *std::move(results_[i])});
    }
    return std::move(trial_);
}

Result<void> run_all(std::vector<PeerTrials>& sessions, const SessionSource& source) {
    const auto more = [&] { return std::ranges::any_of(sessions, &PeerTrials::has_more); };
    while (more()) {
        std::vector<std::vector<PeerTrials::Next>> next;
        std::map<std::uint32_t, std::vector<TrialPlan>> by_build;  // 0: the usual one
        const auto build_of = [&](std::uint32_t peer) {
            return source.options.other_builds.contains(peer) ? peer + 1 : 0;
        };
        for (PeerTrials& session : sessions) {
            for (const auto& one : next.emplace_back(session.next())) {
                by_build[build_of(one.peer)].push_back(one.plan);
            }
        }
        std::map<std::uint32_t, std::vector<TrialResult>> results;
        for (const auto& [build, plans] : by_build) {
            const TrialRunner& run =
                build == 0 ? source.run : source.options.other_builds.at(build - 1);
            ISOTICK_TRY_ASSIGN(results[build], run(plans, Isolation::forked));
        }
        std::map<std::uint32_t, std::size_t> taken;
        for (std::size_t i = 0; i < sessions.size(); ++i) {
            std::vector<TrialResult> own;
            for (const auto& one : next[i]) {
                const std::uint32_t build = build_of(one.peer);
                own.push_back(std::move(results[build][taken[build]++]));
                if (own.back().refused) {
                    return tl::unexpected(*own.back().refused);
                }
            }
            sessions[i].take(std::move(own));
        }
    }
    return {};
}

}  // namespace isotick::harness
