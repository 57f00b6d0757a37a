#include "field_report.hpp"

#include "../run/state_observers.hpp"
#include "../run/verdict.hpp"

#include <isotick/core/detail/fields.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/field_report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

Result<TrialResult> run_one(const PairSide& side) {
    ISOTICK_TRY_ASSIGN(auto results, side.run(std::array{side.plan}, Isolation::forked));
    return std::move(results.front());
}

}  // namespace

Result<std::array<TrialResult, 2>> run_pair(const PairSide& a, const PairSide& b) {
    if (&a.run == &b.run) {
        return a.run(std::array{a.plan, b.plan}, Isolation::forked)
            .map([](std::vector<TrialResult>&& both) {
                return std::array{std::move(both.front()), std::move(both.back())};
            });
    }
    ISOTICK_TRY_ASSIGN(auto first, run_one(a));
    ISOTICK_TRY_ASSIGN(auto second, run_one(b));
    return std::array{std::move(first), std::move(second)};
}

namespace {

using Checkpoints = std::vector<Checkpoint>;

std::optional<PhasePoint> point_at(const Checkpoints& all, std::size_t index) {
    if (index >= all.size()) {
        return std::nullopt;
    }
    const std::string& name = all[index].name;
    const auto until = all.begin() + static_cast<std::ptrdiff_t>(index) + 1;
    const auto number = std::ranges::count(all.begin(), until, name, &Checkpoint::name);
    const bool is_only =
        number == 1 && std::ranges::count(until, all.end(), name, &Checkpoint::name) == 0;
    return PhasePoint{name, is_only ? 0 : static_cast<std::uint64_t>(number)};
}

std::string to_string(const std::optional<PhasePoint>& point) {
    if (!point) {
        return "none";
    }
    return '"' + point->name + '"' +
           (point->number == 0 ? "" : " #" + std::to_string(point->number));
}

}  // namespace

std::optional<Phases> compare_checkpoints(const TrialResult& a, const TrialResult& b) {
    const Checkpoints& one = a.checkpoints;
    const Checkpoints& other = b.checkpoints;
    if (one.empty() && other.empty()) {
        return std::nullopt;
    }
    std::size_t same = 0;
    while (same < std::min(one.size(), other.size()) && one[same].name == other[same].name &&
           one[same].hash == other[same].hash) {
        ++same;
    }
    Phases found;
    if (same == kMostCheckpoints) {
        found.unknown = "its first " + std::to_string(same) + " checkpoints are the same";
        return found;
    }
    found.after = same == 0 ? std::nullopt : point_at(one, same - 1);
    found.before = point_at(one, same);
    const auto there = point_at(other, same);
    found.forks = found.before ? !there || found.before->name != there->name : there.has_value();
    if (found.forks) {
        found.other = there;
    } else if (found.before) {
        found.parts =
            differing_parts({a.part_names, one[same].parts}, {b.part_names, other[same].parts});
    }
    return found;
}

std::string to_string(const Phases& phases) {
    if (!phases.unknown.empty()) {
        return "unknown: " + phases.unknown;
    }
    if (phases.forks) {
        return (phases.after ? "after " + to_string(phases.after) : "from the first on") +
               ", other checkpoints follow: " + to_string(phases.before) + " → " +
               to_string(phases.other);
    }
    if (!phases.after) {
        return "first differs before the first checkpoint, " + to_string(phases.before);
    }
    if (!phases.before) {
        return "first differs after the last checkpoint, " + to_string(phases.after);
    }
    return "first differs after " + to_string(phases.after) + ", before " +
           to_string(phases.before);
}

namespace {

using core::Result;

// A side that is being run: its plan with a dump, and where that goes.
struct Side {
    TrialPlan plan;
    SharedFile file;
};

Result<Side> prepare(const StateSource& source, std::uint64_t steps, bool at_checkpoints) {
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    TrialPlan plan = source.plan;
    plan.trace = StateRange{steps, steps};
    plan.dumps = {DumpRequest{file.path(), steps}};
    plan.checkpoints_of = at_checkpoints ? std::optional(steps) : std::nullopt;
    return Side{std::move(plan), std::move(file)};
}

struct Sides {
    Side before;
    Side after;
    std::array<TrialResult, 2> results;
};

// `at_checkpoints`: hashes the state there, too.
Result<Sides> run_both(const StateSource& before, const StateSource& after,
                       const StepsToStates& steps, bool at_checkpoints) {
    ISOTICK_TRY_ASSIGN(auto one, prepare(before, steps.before, at_checkpoints));
    ISOTICK_TRY_ASSIGN(auto other, prepare(after, steps.after, at_checkpoints));
    ISOTICK_TRY_ASSIGN(auto results, run_pair({one.plan, *before.run}, {other.plan, *after.run}));
    return Sides{std::move(one), std::move(other), std::move(results)};
}

bool come_to_hashes(const Sides& sides, const StateSource& before, const StateSource& after) {
    const auto comes_to = [](const TrialResult& result, core::StateHash hash) {
        return !result.trace.empty() && result.trace.back().hash == hash;
    };
    return comes_to(sides.results.front(), before.hash) &&
           comes_to(sides.results.back(), after.hash);
}

// Whether hashing within the step may be why a side did not come to its hash.
bool has_been_disturbed(const Sides& sides) {
    return std::ranges::any_of(sides.results, [](const TrialResult& result) {
        return !result.checkpoints.empty() || result.trace.empty();
    });
}

// Why this side's fields are not known; empty where they are.
std::string what_is_wrong(const TrialResult& result, const StateSource& source) {
    if (std::string why = why_not_dumped(result); !why.empty()) {
        return why;
    }
    if (result.trace.back().hash != source.hash) {
        return "running it again gave another hash, " + to_string(result.trace.back().hash);
    }
    return "";
}

// Fails where the dump is of no state that hashes so.
Result<core::StateDump> read_dump(const DumpedState& dumped) {
    auto dump = core::read_state_dump(dumped.bytes);
    if (dump && dump->head.hash != dumped.hash.value) {
        return core::fail(core::ErrorCode::simulation,
                          "when hashed again, the state that had hash " + to_string(dumped.hash) +
                              " hashes to " + core::to_hex(dump->head.hash));
    }
    return dump;
}

Result<std::pair<StateComparison::Side, core::StateDump>> read_side(const std::string& path,
                                                                    const MappedFile& file) {
    const auto named = [&path](core::Error error) {
        error.file = path;
        return error;
    };
    const auto dump = core::read_state_dump(file.bytes());
    if (!dump) {
        return tl::unexpected(named(dump.error()));
    }
    if (auto checked = core::check_fields(dump->fields); !checked) {
        core::Error error = named(checked.error());
        error.offset = *error.offset + (file.bytes().size() - dump->fields.size());
        return tl::unexpected(error);
    }
    const core::StateDumpHead& head = dump->head;
    return std::pair{
        StateComparison::Side{head.simulation, head.tick, head.hash_algorithm, {head.hash}}, *dump};
}

}  // namespace

FieldReport compare_dumped(const DumpedState& before, const DumpedState& after, std::size_t most) {
    const auto first = read_dump(before);
    const auto second = first ? read_dump(after) : first;
    const auto compared = second ? core::compare_fields(first->fields, second->fields, most)
                                 : tl::unexpected(second.error());
    if (!compared) {
        const bool is_damaged = compared.error().code != core::ErrorCode::simulation;
        return {false,
                {},
                (is_damaged ? "the fields that the simulation shows: " : "") +
                    describe(compared.error())};
    }
    return {true, *compared, ""};
}

Result<FieldReport> compare_dumped(const SharedFile& before, core::StateHash hash_before,
                                   const SharedFile& after, core::StateHash hash_after,
                                   std::size_t most) {
    ISOTICK_TRY_ASSIGN(const auto first, before.read());
    ISOTICK_TRY_ASSIGN(const auto second, after.read());
    return compare_dumped({first.bytes(), hash_before}, {second.bytes(), hash_after}, most);
}

std::string why_not_dumped(const TrialResult& result) {
    if (result.dump_failed) {
        return describe(*result.dump_failed);
    }
    if (result.trace.empty() || !result.dumped) {
        return "running it again ended " + std::string(to_string(result.verdict)) +
               (result.reason.empty() ? "" : ": " + result.reason);
    }
    return "";
}

namespace {

Result<FieldReport> fields_of(const Sides& sides, const StateSource& before,
                              const StateSource& after, std::size_t most) {
    std::string wrong = what_is_wrong(sides.results.front(), before);
    if (wrong.empty()) {
        wrong = what_is_wrong(sides.results.back(), after);
    }
    if (!wrong.empty()) {
        return FieldReport{false, {}, std::move(wrong)};
    }
    return compare_dumped(sides.before.file, before.hash, sides.after.file, after.hash, most);
}

}  // namespace

Result<StateReport> compare_states(const StateSource& before, const StateSource& after,
                                   const StepsToStates& steps, std::size_t most) {
    ISOTICK_TRY_ASSIGN(const auto looked, run_both(before, after, steps, true));
    StateReport report;
    if (come_to_hashes(looked, before, after)) {
        report.phases = compare_checkpoints(looked.results.front(), looked.results.back());
    }
    if (report.phases || !has_been_disturbed(looked)) {
        ISOTICK_TRY_ASSIGN(report.fields, fields_of(looked, before, after, most));
        return report;
    }
    ISOTICK_TRY_ASSIGN(const auto usual, run_both(before, after, steps, false));
    if (come_to_hashes(usual, before, after)) {
        report.phases.emplace().unknown = "with its state hashed at checkpoints, it went wrong";
    }
    ISOTICK_TRY_ASSIGN(report.fields, fields_of(usual, before, after, most));
    return report;
}

bool is_state_dump(const std::string& path) {
    std::array<char, 8> begin{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(begin.data(), begin.size())) {
        return false;
    }
    const auto wanted = core::state_dump_head({"x", 0, "x", 0}).value();
    return std::equal(begin.begin(), begin.end(), reinterpret_cast<const char*>(wanted.data()));
}

Result<StateComparison> compare_state_dumps(const std::string& a, const std::string& b,
                                            std::size_t most) {
    const auto file_a = MappedFile::open(a);
    const auto file_b = MappedFile::open(b);
    if (!file_a || !file_b) {
        return tl::unexpected(file_a ? file_b.error() : file_a.error());
    }
    const auto side_a = read_side(a, *file_a);
    const auto side_b = read_side(b, *file_b);
    if (!side_a || !side_b) {
        return tl::unexpected(side_a ? side_b.error() : side_a.error());
    }
    ISOTICK_TRY_ASSIGN(auto differences,
                       core::compare_fields(side_a->second.fields, side_b->second.fields, most));
    return StateComparison{side_a->first, side_b->first, std::move(differences)};
}

}  // namespace isotick::harness
