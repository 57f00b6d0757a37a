#include "parting_write.hpp"

#include "value_origin.hpp"
#include "watched_sides.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
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

// To trace at the end of a step that is too long to be traced as a whole.
constexpr std::uint64_t kMostOfEnd = 30'000;

constexpr std::size_t kTracedWrites = 64;

constexpr const char* kTooMany = "there are too many writes before the first that differs";
constexpr const char* kAllTheSame =
    "all writes to memory that was the state's before the tick are the same";

std::string all_the_same(const WriteLog& log) {
    if (log.is_told) {
        return "all changes of the state are the same";
    }
    return kAllTheSame +
           (log.hidden == 0 ? std::string()
                            : fmt::format("; where {} of its values are is not known", log.hidden));
}

// How many writes to look at first, and how many if those are all the same: looking is slow.
constexpr std::array<std::uint64_t, 3> kMostWrites{512, 8192, 32768};

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
        // Only a step may write. The side that is in its step makes no other writes from here on.
        if (steps_a != steps_b) {
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
        return {one.during, one.path, one.before, one.after, code_.of(one.sites)};
    }

  private:
    static const NotedWrite& noted(const WriteLog& log, std::size_t at) {
        return log.noted[at - (log.writes.size() - log.noted.size())];
    }

    [[nodiscard]] bool is_same_code(std::size_t in_a, std::size_t in_b) {
        const NotedWrite& one = noted(a_, in_a);
        const NotedWrite& other = noted(b_, in_b);
        return a_.writes[in_a].place == b_.writes[in_b].place && one.during == other.during &&
               (one.sites == other.sites || code_.of(one.sites) == code_.of(other.sites));
    }

    const WriteLog& a_;
    const WriteLog& b_;
    std::size_t at_;
    bool has_same_code_;
    KnownCode code_;
};

PartingWrite not_known(std::string why) {
    PartingWrite found;
    found.unknown = std::move(why);
    return found;
}

PartingWrite parting_at(Neighborhood& neighborhood, std::size_t parting) {
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
WatchedSide around(WatchedSide side, const Writes& writes, std::size_t at) {
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

// The side with its writes up to number `at` of its log, and the step's instructions up to there:
// all, or those from its last writes on. What manages the heap may write some more or fewer.
WatchedSide tracing(WatchedSide side, const Writes& writes, std::size_t at, bool is_whole) {
    constexpr std::uint64_t kMore = 16;
    side.instructions = is_whole ? kMostOfStep : kMostOfEnd;
    if (!is_whole && at > 0) {
        side.trace_from = writes[at - std::min(at, kTracedWrites)].number + 1;
    }
    if (at < writes.size()) {
        side.most = writes[at].number + 1 + kMore;
    }
    return side;
}

// Which instruction has made the write number `at` of `writes` again, in a traced run; 0: none.
std::uint64_t made_again_by(const Writes& writes, std::size_t at, const Writes& traced) {
    if (at >= writes.size()) {
        return 0;
    }
    const auto is_it = [&](const MemoryWrite& one) { return is_alike(one, writes[at]); };
    auto left =
        std::count_if(writes.begin(), writes.begin() + static_cast<std::ptrdiff_t>(at) + 1, is_it);
    for (const MemoryWrite& write : traced) {
        left -= is_it(write) ? 1 : 0;
        if (left == 0) {
            return write.instruction;
        }
    }
    return 0;
}

bool is_made_by_step(const PartingWrite& write) {
    const auto is = [](const std::optional<StateWrite>& one) {
        return !one || one->during == Activity::stepping;
    };
    return is(write.before) && is(write.after);
}

// Runs both sides once more, one instruction at a time: the whole step, and if that is too long,
// its last writes before the one number `at`.
Result<std::optional<ValueOrigin>> trace_origin(const PartingWrite& write,
                                                const WatchedSide& before, const WatchedSide& after,
                                                const std::array<LoggedSide, 2>& all,
                                                std::size_t at) {
    if (!is_made_by_step(write) || before.source.run != after.source.run) {
        return std::nullopt;
    }
    const Writes& a = all.front().log.writes;
    const Writes& b = all.back().log.writes;
    for (const bool is_whole : {true, false}) {
        ISOTICK_TRY_ASSIGN(const auto traced, watch_both(tracing(before, a, at, is_whole),
                                                         tracing(after, b, at, is_whole)));
        const auto& [in_a, in_b] = traced;
        if (!in_a.wrong.empty() || !in_b.wrong.empty()) {
            return std::nullopt;
        }
        if (!is_whole || (!in_a.log.trace.cut && !in_b.log.trace.cut)) {
            return find_origin({in_a.log.trace,
                                write.before ? made_again_by(a, at, in_a.log.writes) : 0, is_whole},
                               {in_b.log.trace,
                                write.after ? made_again_by(b, at, in_b.log.writes) : 0, is_whole});
        }
    }
    return std::nullopt;
}

// Runs both sides once more, for the code around the write number `at`, the first that differs.
Result<PartingWrite> look_around(const WatchedSide& before, const WatchedSide& after,
                                 const std::array<LoggedSide, 2>& all, std::size_t at) {
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
    Neighborhood neighborhood(again_a.log, again_b.log, at, before.source.run == after.source.run);
    const std::size_t parting = neighborhood.first();
    PartingWrite found = parting_at(neighborhood, parting);
    ISOTICK_TRY_ASSIGN(found.origin, trace_origin(found, before, after, all, parting));
    return found;
}

// Of values that differ in memory that became the state's in the step, the one written first. No
// page was protected there, but the trace has all writes.
std::optional<PartingWrite> in_new_memory(const WriteLog& a, const WriteLog& b,
                                          bool has_same_code) {
    constexpr std::size_t kMostTried = 64;
    const auto is_same_place = [](const NewValue& one, const NewValue& other) {
        return one.path == other.path && one.size == other.size;
    };
    if (a.cut || b.cut || a.trace.cut || b.trace.cut ||
        !std::ranges::equal(a.made, b.made, is_same_place)) {
        return std::nullopt;
    }
    std::vector<ValuePlaces> places;
    std::vector<std::size_t> values;
    for (std::size_t i = 0; i < a.made.size() && values.size() < kMostTried; ++i) {
        if (a.made[i].bytes != b.made[i].bytes) {
            places.push_back({a.made[i].address, b.made[i].address, a.made[i].size});
            values.push_back(i);
        }
    }
    const auto first = first_written(a.trace, b.trace, places);
    if (!first) {
        return std::nullopt;
    }
    const auto write_of = [&](const WriteLog& log, const std::vector<CodePlace>& code) {
        const NewValue& value = log.made[values[first->value]];
        return StateWrite{Activity::stepping, value.path, {}, value.text, code};
    };
    PartingWrite found{write_of(a, first->code_a), write_of(b, first->code_b)};
    if (has_same_code) {
        found.origin = find_origin({a.trace, first->in_a}, {b.trace, first->in_b});
    }
    return found;
}

// Runs both sides once more, with all that the step writes.
Result<std::optional<PartingWrite>> look_in_new_memory(WatchedSide before, WatchedSide after) {
    before.instructions = kMostForNewMemory;
    after.instructions = kMostForNewMemory;
    ISOTICK_TRY_ASSIGN(const auto traced, watch_both(before, after));
    const auto& [a, b] = traced;
    return a.wrong.empty() && b.wrong.empty()
               ? in_new_memory(a.log, b.log, before.source.run == after.source.run)
               : std::nullopt;
}

}  // namespace

Result<PartingWrite> find_parting_write(const StateSource& before, const StateSource& after,
                                        const StepsToStates& steps) {
    if (steps.before == 0 || steps.after == 0) {
        return not_known("the initial state differs, before any tick");
    }
    for (const std::uint64_t most : kMostWrites) {
        const WatchedSide side{before, steps.before, most, 0, most_traps(most)};
        const WatchedSide other{after, steps.after, most, 0, most_traps(most)};
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
            PartingWrite none = not_known(all_the_same(all.front().log));
            if (!may_be_in_new_memory(none)) {
                return none;
            }
            ISOTICK_TRY_ASSIGN(auto found, look_in_new_memory(side, other));
            return found ? *std::move(found) : std::move(none);
        }
        if (all.front().log.is_told) {
            break;  // it would tell the same again
        }
    }
    return not_known(kTooMany);
}

bool may_be_in_new_memory(const PartingWrite& write) {
    return write.unknown.starts_with(kAllTheSame);
}

void watch_first_writes(TrialPlan& plan, std::uint64_t steps, const SharedFile& file,
                        std::uint64_t instructions) {
    plan.writes = WriteRequest{file.path(),
                               steps,
                               kMostWrites.front(),
                               kMostWrites.front(),
                               most_traps(kMostWrites.front()),
                               {},
                               false,
                               instructions,
                               0};
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
        if (is_cut) {
            return not_known(kTooMany);
        }
        if (in_a.writes.size() == in_b.writes.size()) {
            auto found = in_new_memory(in_a, in_b, true);
            return found ? *std::move(found) : not_known(all_the_same(in_a));
        }
    }
    Neighborhood neighborhood(in_a, in_b, static_cast<std::size_t>(first - in_a.writes.begin()),
                              true);
    const std::size_t parting = neighborhood.first();
    PartingWrite found = parting_at(neighborhood, parting);
    if (is_made_by_step(found)) {
        const auto instruction = [parting](const WriteLog& log, bool makes_it) {
            return makes_it ? log.writes[parting].instruction : 0;
        };
        found.origin = find_origin({in_a.trace, instruction(in_a, found.before.has_value())},
                                   {in_b.trace, instruction(in_b, found.after.has_value())});
    }
    return found;
}

}  // namespace isotick::harness
