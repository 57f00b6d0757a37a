#include "bisect.hpp"

#include "../system/cleanup_process.hpp"
#include "range_search.hpp"

#include <isotick/core/detail/text.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

#include <sys/file.h>

namespace isotick::harness::bisect {
namespace {

using core::ErrorCode;
using core::Result;
using std::chrono::steady_clock;

// A bisection that was killed holds its folder until its builds are dead, which may take a while
// to end (see cleanup_process.cpp).
constexpr std::chrono::milliseconds kPatience{5000};
constexpr std::chrono::milliseconds kPause{5};

}  // namespace

FolderLock::~FolderLock() {
    if (file_.get() >= 0) {
        flock(file_.get(), LOCK_UN);  // for the cleanup process's copy, too
    }
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
    const std::string path = folder + "/lock";
    ISOTICK_TRY(start_cleanup_process());
    FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (file.get() < 0) {
        return system_failure(path + " cannot be made");
    }
    const auto deadline = steady_clock::now() + kPatience;
    while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return system_failure(path + " cannot be locked");
        }
        if (steady_clock::now() >= deadline) {
            return core::fail(ErrorCode::usage, folder +
                                                    ": another bisection works in this folder; "
                                                    "give this one its own with --work");
        }
        std::this_thread::sleep_for(kPause);
    }
    hold_with_us(file.get());
    return FolderLock(std::move(file));
}

Result<std::string> keep_log(const std::string& folder, std::size_t number,
                             const std::string& log) {
    const std::string path = folder + "/bisect-" + std::to_string(number + 1) + ".log";
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        file << (line.starts_with('#') ? core::printable(line) : line) << '\n';
    }
    file.close();
    return file ? Result<std::string>(path)
                : core::fail(ErrorCode::io, path + ": cannot be written");
}

namespace {

using core::ErrorCode;
using core::Result;

/// One run of `bisect commits`.
class Bisection {
  public:
    Bisection(const BisectPlan& plan, const History& history, Builder builder)
        : plan_(plan), history_(history), trying_(plan, history, Candidates(std::move(builder))) {}

    Result<BisectReport> run() {
        ISOTICK_TRY_ASSIGN(const auto bad,
                           history_.commit_of(plan_.bad, plan_.for_fix ? "--new" : "--bad"));
        std::string good;
        if (!plan_.good.empty()) {
            ISOTICK_TRY_ASSIGN(good,
                               history_.commit_of(plan_.good, plan_.for_fix ? "--old" : "--good"));
        }
        if (good == bad) {
            return core::fail(ErrorCode::usage, "both ends are the same commit");
        }
        ISOTICK_TRY(history_.check_complete(good, bad));
        if (good.empty()) {
            ISOTICK_TRY_ASSIGN(good, gallop_back(trying_, bad));
        }
        ISOTICK_TRY_ASSIGN(report_.good, history_.facts_of(good));
        ISOTICK_TRY_ASSIGN(report_.bad, history_.facts_of(bad));
        report_.changed_files = history_.changed_files();
        ISOTICK_TRY(plan_.for_fix ? search_fix() : search_all());
        report_.builds = trying_.builder().made();
        report_.reused = trying_.builder().reused();
        return std::move(report_);
    }

  private:
    Result<void> search_fix() {
        ISOTICK_TRY_ASSIGN(auto checked,
                           check_ends_of_fix(trying_, report_.good.hash, report_.bad.hash));
        return search(std::move(checked), true);
    }

    // A change that is meant ends one range, and is the good end of the next.
    Result<void> search_all() {
        ISOTICK_TRY_ASSIGN(const auto accepted, accepted_in_order());
        std::string good = report_.good.hash;
        bool inputs_only = plan_.inputs_only;
        for (const std::string& change : accepted) {
            ISOTICK_TRY_ASSIGN(const auto before, history_.parent_of(change));
            if (before && *before != good) {
                ISOTICK_TRY(search(good, *before, inputs_only));
            }
            good = change;
            inputs_only = true;
        }
        if (good != report_.bad.hash) {
            ISOTICK_TRY(search(good, report_.bad.hash, inputs_only));
        }
        if (report_.regressions.empty() && accepted.empty()) {
            return core::fail(ErrorCode::usage,
                              "the bad end " + short_hash(report_.bad.hash) + " is good: " +
                                  (report_.recorded_again ? "it comes to the same as the good end"
                                                          : "it comes to the recorded hashes") +
                                  (plan_.expect ? " as far as was looked" : ""));
        }
        std::ranges::stable_sort(report_.regressions, {}, [](const Regression& one) {
            return one.change.signature ? one.change.signature->ticks_done : 0;
        });
        return {};
    }

    Result<std::vector<std::string>> accepted_in_order() const {
        std::vector<std::string> commits;
        for (const std::string& revision : plan_.accepted) {
            ISOTICK_TRY_ASSIGN(auto commit, history_.commit_of(revision, "--accept"));
            ISOTICK_TRY_ASSIGN(const bool after, history_.is_ancestor(report_.good.hash, commit));
            ISOTICK_TRY_ASSIGN(const bool before, history_.is_ancestor(commit, report_.bad.hash));
            if (!after || !before || commit == report_.good.hash) {
                return core::fail(ErrorCode::usage,
                                  "--accept " + revision + ": does not lie between the ends");
            }
            std::size_t place = 0;  // behind all that come before it
            for (std::size_t i = 0; i < commits.size(); ++i) {
                ISOTICK_TRY_ASSIGN(const bool later, history_.is_ancestor(commits[i], commit));
                place = later ? i + 1 : place;
            }
            commits.insert(commits.begin() + static_cast<std::ptrdiff_t>(place), std::move(commit));
        }
        return commits;
    }

    Result<void> search(const std::string& good, const std::string& bad, bool inputs_only) {
        ISOTICK_TRY_ASSIGN(auto checked, check_ends(trying_, good, bad, inputs_only));
        return search(std::move(checked), false);
    }

    Result<void> search(CheckedEnds checked, bool for_fix) {
        report_.recorded_again = report_.recorded_again || checked.recorded_again;
        if (!for_fix && checked.ends.bad.standing == Standing::good) {
            return {};
        }
        RangeSearch range(trying_, checked.judge, std::move(checked.ends), for_fix);
        ISOTICK_TRY_ASSIGN(auto found, range.find(plan_.expect));
        std::ranges::move(found, std::back_inserter(report_.regressions));
        return {};
    }

    const BisectPlan& plan_;
    const History& history_;
    Trying trying_;
    BisectReport report_;
};

}  // namespace

Result<BisectReport> bisect(const BisectPlan& plan) {
    ISOTICK_TRY_ASSIGN(const auto lock, FolderLock::take(plan.work));
    ISOTICK_TRY_ASSIGN(const auto history, History::open(plan.repository, plan.work, plan.stop));
    Recipe recipe = plan.recipe;
    if (!recipe.glue.empty()) {
        ISOTICK_TRY_ASSIGN(recipe.glue_from, history.commit_of(recipe.glue_from, "--glue-from"));
    }
    recipe.limits.stop = plan.stop;
    ISOTICK_TRY_ASSIGN(auto builder, Builder::make(history, std::move(recipe), plan.work));
    return Bisection(plan, history, std::move(builder)).run();
}

}  // namespace isotick::harness::bisect
