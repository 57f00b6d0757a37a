#include "watched_sides.hpp"

#include "../axes/axes.hpp"
#include "../system/site_names.hpp"
#include "field_report.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <cstddef>

namespace isotick::harness {

using core::Result;

namespace {

TrialPlan watching(const WatchedSide& side, const SharedFile& file) {
    TrialPlan plan = side.source.plan;
    plan.dumps.clear();
    plan.checkpoints_of.reset();
    plan.trace = StateRange{side.steps, side.steps};
    plan.writes = WriteRequest{file.path(),     side.steps,        side.most,
                               side.with_code,  side.most_traps,   side.of,
                               side.with_loads, side.instructions, side.trace_from};
    return plan;
}

LoggedSide logged_of(const WatchedSide& side, const TrialResult& result, const SharedFile& file) {
    LoggedSide found = logged(result, file);
    if (found.wrong.empty() &&
        (result.trace.empty() || result.trace.back().hash != side.source.hash)) {
        found.wrong = "watching its writes changed the result of the tick";
    }
    return found;
}

bool may_load_snapshots(const TrialPlan& plan) {
    return have_course(plan.drive.axes) || plan.drive.loop.kind == core::LoopKind::reversible;
}

void leave_out(const std::vector<std::uint64_t>& places, WriteLog& log) {
    std::vector<MemoryWrite> writes;
    std::vector<NotedWrite> noted;
    const std::size_t without_code = log.writes.size() - log.noted.size();
    for (std::size_t i = 0; i < log.writes.size(); ++i) {
        if (std::ranges::binary_search(places, log.writes[i].place)) {
            continue;
        }
        writes.push_back(log.writes[i]);
        if (i >= without_code) {
            noted.push_back(std::move(log.noted[i - without_code]));
        }
    }
    log.writes = std::move(writes);
    log.noted = std::move(noted);
}

}  // namespace

LoggedSide logged(const TrialResult& result, const SharedFile& file) {
    const auto bytes = file.read();
    auto log = bytes ? read_write_log(bytes->bytes()) : tl::unexpected(bytes.error());
    if (!log) {
        return {{},
                "the run that was watched ended " + std::string(to_string(result.verdict)) +
                    (result.reason.empty() ? "" : ": " + result.reason)};
    }
    if (!log->unknown.empty()) {
        return {{}, std::move(log->unknown)};
    }
    return {*std::move(log), {}};
}

// What a container has room for, and so when it moves, depends on whether a snapshot was loaded.
void align(WriteLog& a, WriteLog& b, bool may_load) {
    leave_out(a.gone, b);
    leave_out(b.gone, a);
    if (may_load) {
        leave_out(a.bookkeeping, a);
        leave_out(b.bookkeeping, b);
    }
}

namespace {

Result<std::array<LoggedSide, 2>> watch_once(const WatchedSide& before, const WatchedSide& after) {
    ISOTICK_TRY_ASSIGN(const auto file_before, SharedFile::make());
    ISOTICK_TRY_ASSIGN(const auto file_after, SharedFile::make());
    ISOTICK_TRY_ASSIGN(const auto results,
                       run_pair({watching(before, file_before), *before.source.run},
                                {watching(after, file_after), *after.source.run}));
    std::array both{logged_of(before, results.front(), file_before),
                    logged_of(after, results.back(), file_after)};
    align(both.front().log, both.back().log,
          may_load_snapshots(before.source.plan) || may_load_snapshots(after.source.plan));
    return both;
}

bool begins_otherwise(const std::array<LoggedSide, 2>& sides) {
    const auto& [a, b] = sides;
    return a.wrong.empty() && b.wrong.empty() && a.log.layout == b.log.layout &&
           a.log.began_with != b.log.began_with;
}

}  // namespace

Result<std::array<LoggedSide, 2>> watch_both(const WatchedSide& before, const WatchedSide& after) {
    ISOTICK_TRY_ASSIGN(auto both, watch_once(before, after));
    if (!begins_otherwise(both)) {
        return both;
    }
    WatchedSide first = before;
    WatchedSide second = after;
    first.with_loads = true;
    second.with_loads = true;
    return watch_once(first, second);
}

bool is_alike(const MemoryWrite& a, const MemoryWrite& b) {
    return a.place == b.place && a.word == b.word && a.after == b.after;
}

std::string why_not_comparable(const std::array<LoggedSide, 2>& sides) {
    const auto& [a, b] = sides;
    if (!a.wrong.empty() || !b.wrong.empty()) {
        return a.wrong.empty() ? b.wrong : a.wrong;
    }
    if (a.log.layout != b.log.layout) {
        return "the two sides lay out their states differently";
    }
    return a.log.began_with != b.log.began_with
               ? "where watching began, values differ already, though the hashes before were "
                 "equal: "
                 "values that the hash leaves out, or that loading a snapshot changed"
               : "";
}

const std::vector<CodePlace>& KnownCode::of(const std::vector<CallSite>& sites) {
    for (const auto& [stack, code] : known_) {
        if (stack == sites) {
            return code;
        }
    }
    return known_.emplace_back(sites, code_of(sites, kMostFunctions)).second;
}

}  // namespace isotick::harness
