#include "../observe/dumped_states.hpp"
#include "run_pair.hpp"

#include <isotick/core/detail/fields/fields.hpp>
#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/explain/field_report.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

// A side that is being run: its plan with a dump, and where that goes.
struct Side {
    TrialPlan plan;
    SharedFile file;
};

Result<Side> prepare(const StateSource& source, std::uint64_t steps) {
    ISOTICK_TRY_ASSIGN(auto file, SharedFile::make());
    TrialPlan plan = source.plan;
    plan.trace = StateRange{steps, steps};
    plan.dump = DumpRequest{file.path(), steps};
    return Side{std::move(plan), std::move(file)};
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

Result<FieldReport> compare_states(const StateSource& before, const StateSource& after,
                                   std::uint64_t ticks_done, std::size_t most) {
    return compare_states(before, after, StepsToStates{ticks_done, ticks_done}, most);
}

Result<FieldReport> compare_states(const StateSource& before, const StateSource& after,
                                   const StepsToStates& steps, std::size_t most) {
    const auto one = prepare(before, steps.before);
    const auto other = prepare(after, steps.after);
    if (!one || !other) {
        return tl::unexpected(one ? other.error() : one.error());
    }
    ISOTICK_TRY_ASSIGN(const auto results,
                       run_pair({one->plan, *before.run}, {other->plan, *after.run}));
    for (const auto& [result, source] :
         {std::pair(&results.front(), &before), std::pair(&results.back(), &after)}) {
        if (std::string wrong = what_is_wrong(*result, *source); !wrong.empty()) {
            return FieldReport{false, {}, std::move(wrong)};
        }
    }
    return compare_dumped(one->file, before.hash, other->file, after.hash, most);
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
