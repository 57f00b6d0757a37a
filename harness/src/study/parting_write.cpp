#include "parting_write.hpp"

#include "../axes/axes.hpp"
#include "../run/state_writes.hpp"
#include "../system/files.hpp"
#include "../system/site_names.hpp"
#include "field_report.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/core/loops.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace isotick::harness {
namespace {

using core::Result;
using Writes = std::vector<MemoryWrite>;

// How many writes around the first that is another are looked at with the code that made them.
constexpr std::uint64_t kAround = 64;

constexpr const char* kTooMany = "there are too many writes before the first that differs";

std::string all_the_same(const WriteLog& log) {
    return "all writes to memory that was the state's before the tick are the same" +
           (log.hidden == 0 ? std::string()
                            : fmt::format("; where {} of its values are is not known", log.hidden));
}

// How many writes to look at first, and how many if those are all the same: looking is slow.
constexpr std::array<std::uint64_t, 3> kMostWrites{512, 8192, 32768};

// What else is on the pages may be written to as well.
constexpr std::uint64_t most_traps(std::uint64_t writes) {
    return 2 * writes + 5'000;
}

// A side, and which of its writes are wanted, as in WriteRequest.
struct Watched {
    const StateSource& source;
    std::uint64_t steps;
    std::uint64_t most = 0;
    std::uint64_t with_code = 0;
    std::uint64_t most_traps = 0;
};

// A side that has been run.
struct Logged {
    WriteLog log;
    std::string wrong;  // why it says nothing; empty: it does
};

TrialPlan watching(const Watched& side, const SharedFile& file) {
    TrialPlan plan = side.source.plan;
    plan.dump.reset();
    plan.checkpoints_of.reset();
    plan.trace = StateRange{side.steps, side.steps};
    plan.writes = WriteRequest{file.path(), side.steps, side.most, side.with_code, side.most_traps};
    return plan;
}

Logged logged(const TrialResult& result, const SharedFile& file) {
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

Logged logged(const Watched& side, const TrialResult& result, const SharedFile& file) {
    Logged found = logged(result, file);
    if (found.wrong.empty() &&
        (result.trace.empty() || result.trace.back().hash != side.source.hash)) {
        found.wrong = "watching its writes changed what the tick came to";
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

// What a container has room for, and so when it moves, depends on whether a snapshot was loaded.
void align(WriteLog& a, WriteLog& b, bool may_load) {
    leave_out(a.gone, b);
    leave_out(b.gone, a);
    if (may_load) {
        leave_out(a.bookkeeping, a);
        leave_out(b.bookkeeping, b);
    }
}

Result<std::array<Logged, 2>> watch_both(const Watched& before, const Watched& after) {
    ISOTICK_TRY_ASSIGN(const auto file_before, SharedFile::make());
    ISOTICK_TRY_ASSIGN(const auto file_after, SharedFile::make());
    ISOTICK_TRY_ASSIGN(const auto results,
                       run_pair({watching(before, file_before), *before.source.run},
                                {watching(after, file_after), *after.source.run}));
    std::array both{logged(before, results.front(), file_before),
                    logged(after, results.back(), file_after)};
    align(both.front().log, both.back().log,
          may_load_snapshots(before.source.plan) || may_load_snapshots(after.source.plan));
    return both;
}

// Whether both have changed the same memory to the same, wherever that was.
bool is_alike(const MemoryWrite& a, const MemoryWrite& b) {
    return a.place == b.place && a.word == b.word && a.after == b.after;
}

// The writes around the first that is another, with the code that made them.
class Neighborhood {
  public:
    // `at`: the index of the first that is another.
    Neighborhood(const WriteLog& a, const WriteLog& b, std::size_t at, bool has_same_code)
        : a_(a), b_(b), at_(at), has_same_code_(has_same_code) {}

    // The first that is another, or that other code has made: what draws random numbers once more
    // is noticed only by what is made of them.
    [[nodiscard]] std::size_t first() {
        std::size_t first =
            std::max(a_.writes.size() - a_.noted.size(), b_.writes.size() - b_.noted.size());
        while (has_same_code_ && first < at_ && is_same_code(first, first)) {
            ++first;
        }
        return has_same_code_ ? std::min(first, at_) : at_;
    }

    // Which sides have a write there that counts: not one that the other side makes later.
    [[nodiscard]] std::array<bool, 2> which_count(std::size_t at) {
        const bool in_a = at < a_.writes.size();
        const bool in_b = at < b_.writes.size();
        if (!in_a || !in_b) {
            return {in_a, in_b};
        }
        const bool steps_a = noted(a_, at).during == Activity::stepping;
        const bool steps_b = noted(b_, at).during == Activity::stepping;
        if (steps_a != steps_b) {  // only a step may write
            return {!steps_a, !steps_b};
        }
        bool is_later_in_b = false;
        bool is_later_in_a = false;
        for (std::size_t i = at; i < std::max(a_.writes.size(), b_.writes.size()); ++i) {
            is_later_in_b = is_later_in_b || (i < b_.writes.size() && is_same_code(at, i));
            is_later_in_a = is_later_in_a || (i < a_.writes.size() && is_same_code(i, at));
        }
        return {is_later_in_a || !is_later_in_b, is_later_in_b || !is_later_in_a};
    }

    [[nodiscard]] StateWrite described(bool is_a, std::size_t at) {
        const NotedWrite& one = noted(is_a ? a_ : b_, at);
        return {one.during, one.path, one.before, one.after, code(one.sites)};
    }

  private:
    static const NotedWrite& noted(const WriteLog& log, std::size_t at) {
        return log.noted[at - (log.writes.size() - log.noted.size())];
    }

    [[nodiscard]] bool is_same_code(std::size_t in_a, std::size_t in_b) {
        const NotedWrite& one = noted(a_, in_a);
        const NotedWrite& other = noted(b_, in_b);
        return a_.writes[in_a].place == b_.writes[in_b].place && one.during == other.during &&
               (one.sites == other.sites || code(one.sites) == code(other.sites));
    }

    const std::vector<CodePlace>& code(const std::vector<CallSite>& sites) {
        const auto known = std::ranges::find(codes_, sites, &Known::first);
        return known != codes_.end()
                   ? known->second
                   : codes_.emplace_back(sites, code_of(sites, kMostFunctions)).second;
    }

    using Known = std::pair<std::vector<CallSite>, std::vector<CodePlace>>;

    const WriteLog& a_;
    const WriteLog& b_;
    std::size_t at_;
    bool has_same_code_;
    std::deque<Known> codes_;
};

PartingWrite not_known(std::string why) {
    PartingWrite found;
    found.unknown = std::move(why);
    return found;
}

std::string why_not_comparable(const std::array<Logged, 2>& sides) {
    const auto& [a, b] = sides;
    if (!a.wrong.empty() || !b.wrong.empty()) {
        return a.wrong.empty() ? b.wrong : a.wrong;
    }
    if (a.log.layout != b.log.layout) {
        return "the two sides lay out their states differently";
    }
    return a.log.began_with != b.log.began_with
               ? "before the tick, values differ whose hashes are equal"
               : "";
}

PartingWrite parting_at(Neighborhood neighborhood) {
    const std::size_t parting = neighborhood.first();
    const auto counts = neighborhood.which_count(parting);
    PartingWrite found;
    if (counts.front()) {
        found.before = neighborhood.described(true, parting);
    }
    if (counts.back()) {
        found.after = neighborhood.described(false, parting);
    }
    return found;
}

// The side with the writes around number `at` of its log and the code that made them.
Watched around(Watched side, const Writes& writes, std::size_t at) {
    const std::uint64_t number = at < writes.size() ? writes[at].number
                                 : writes.empty()   ? 0
                                                    : writes.back().number + 1;
    side.most = number + kAround;
    side.with_code = std::min(number, kAround) + kAround;
    return side;
}

// Whether this side has written the same again, up to the write number `at` of its log.
bool has_written_again(const Writes& first, const Writes& again, std::size_t at) {
    const std::size_t count = std::min(first.size(), at + 1);
    return count <= again.size() &&
           std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(count),
                      again.begin(), is_alike);
}

// Runs both sides once more, for the code around the write number `at`, the first that differs.
Result<PartingWrite> look_around(const Watched& before, const Watched& after,
                                 const std::array<Logged, 2>& all, std::size_t at) {
    const Writes& a = all.front().log.writes;
    const Writes& b = all.back().log.writes;
    ISOTICK_TRY_ASSIGN(const auto noted, watch_both(around(before, a, at), around(after, b, at)));
    const auto& [again_a, again_b] = noted;
    if (!again_a.wrong.empty() || !again_b.wrong.empty()) {
        return not_known(again_a.wrong.empty() ? again_b.wrong : again_a.wrong);
    }
    if (!has_written_again(a, again_a.log.writes, at) ||
        !has_written_again(b, again_b.log.writes, at)) {
        return not_known("when it ran again, it made other writes");
    }
    return parting_at(
        Neighborhood(again_a.log, again_b.log, at, before.source.run == after.source.run));
}

}  // namespace

Result<PartingWrite> find_parting_write(const StateSource& before, const StateSource& after,
                                        const StepsToStates& steps) {
    if (steps.before == 0 || steps.after == 0) {
        return not_known("the initial state differs, before any tick");
    }
    for (const std::uint64_t most : kMostWrites) {
        const Watched side{before, steps.before, most, 0, most_traps(most)};
        const Watched other{after, steps.after, most, 0, most_traps(most)};
        ISOTICK_TRY_ASSIGN(const auto all, watch_both(side, other));
        if (std::string why = why_not_comparable(all); !why.empty()) {
            return not_known(std::move(why));
        }
        const Writes& a = all.front().log.writes;
        const Writes& b = all.back().log.writes;
        const auto [in_a, in_b] = std::ranges::mismatch(a, b, is_alike);
        const bool is_cut = all.front().log.cut || all.back().log.cut;
        if (in_a != a.end() || in_b != b.end()) {
            const auto at = static_cast<std::size_t>(in_a - a.begin());
            if (is_cut && (in_a == a.end() || in_b == b.end())) {
                continue;  // one side was cut earlier
            }
            return look_around(side, other, all, at);
        }
        if (!is_cut) {
            return not_known(all_the_same(all.front().log));
        }
    }
    return not_known(kTooMany);
}

void watch_first_writes(TrialPlan& plan, std::uint64_t steps, const SharedFile& file) {
    plan.writes = WriteRequest{file.path(), steps, kMostWrites.front(), kMostWrites.front(),
                               most_traps(kMostWrites.front())};
}

PartingWrite parting_write_of(const WatchedRun& a, const WatchedRun& b) {
    std::array both{logged(a.result, a.file), logged(b.result, b.file)};
    align(both.front().log, both.back().log, false);
    if (std::string why = why_not_comparable(both); !why.empty()) {
        return not_known(std::move(why));
    }
    const WriteLog& in_a = both.front().log;
    const WriteLog& in_b = both.back().log;
    const auto [first, second] = std::ranges::mismatch(in_a.writes, in_b.writes, is_alike);
    const bool is_cut = in_a.cut || in_b.cut;
    if (first == in_a.writes.end() || second == in_b.writes.end()) {
        if (is_cut || in_a.writes.size() == in_b.writes.size()) {
            return not_known(is_cut ? kTooMany : all_the_same(in_a));
        }
    }
    return parting_at(
        Neighborhood(in_a, in_b, static_cast<std::size_t>(first - in_a.writes.begin()), true));
}

}  // namespace isotick::harness
