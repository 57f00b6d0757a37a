#include "field_check.hpp"

#include "../probes/busy_run.hpp"

#include <isotick/core/detail/fields/field_difference.hpp>
#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::size_t kMostPaths = 8;
constexpr std::size_t kListed = 1;

struct Look {
    Bytes fields;
    PartRow row;
};

Result<Look> look_at(Stage& stage, core::Simulation& simulation, std::uint64_t done) {
    ISOTICK_TRY_ASSIGN(auto row, stage.hash(simulation, done));
    return stage.fields(simulation, done).map([&](Bytes fields) {
        return Look{std::move(fields), std::move(row)};
    });
}

/// Compares pairs of states.
class Comparison {
  public:
    Comparison(Stage& stage, FieldFacts& facts) : stage_(stage), facts_(facts) {}

    void compare(const Look& before, const Look& after) {
        if (before.row.size() != after.row.size()) {
            return;
        }
        const auto differences = core::compare_fields(before.fields, after.fields, kListed);
        if (!differences) {
            return;
        }
        ++facts_.compared;
        for (std::size_t kind = 0; kind < differences->kinds.size(); ++kind) {
            const core::FieldKind& one = differences->kinds[kind];
            if (is_unhashed(one.part, before.row, after.row) && !is_nan(*differences, kind)) {
                note(one.path);
            }
        }
    }

  private:
    [[nodiscard]] bool is_unhashed(const std::string& part, const PartRow& before,
                                   const PartRow& after) const {
        const std::vector<std::string>& names = stage_.part_names();
        const auto name = std::find(names.begin(), names.end(), part);
        if (name == names.end()) {
            return before == after;
        }
        const auto place = static_cast<std::size_t>(name - names.begin());
        return before[place] == after[place];
    }

    // Where all NaNs count as one, another NaN is no other state.
    [[nodiscard]] bool is_nan(const core::FieldDifferences& differences, std::size_t kind) const {
        return stage_.session().head().nan_policy == "one" &&
               std::ranges::any_of(differences.listed, [&](const core::FieldDifference& field) {
                   return field.field_kind == kind &&
                          field.before.find("nan") != std::string::npos &&
                          field.after.find("nan") != std::string::npos;
               });
    }

    void note(const std::string& path) {
        auto& known = facts_.unhashed;
        if (known.size() < kMostPaths && std::ranges::find(known, path) == known.end()) {
            known.push_back(path);
        }
    }

    Stage& stage_;
    FieldFacts& facts_;
};

}  // namespace

Result<void> hold_fields_against_hashes(Stage& stage, core::Simulation& simulation,
                                        FieldFacts& facts) {
    const std::uint64_t ticks = stage.session().ticks();
    Comparison comparison(stage, facts);
    std::optional<Look> before;
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
        const bool busy = is_busy(tick, ticks);
        if (busy && !before) {
            ISOTICK_TRY_ASSIGN(before, look_at(stage, simulation, tick));
        }
        ISOTICK_TRY(stage.step(simulation, tick));
        if (!busy) {
            before.reset();
            continue;
        }
        ISOTICK_TRY_ASSIGN(auto after, look_at(stage, simulation, tick + 1));
        comparison.compare(*before, after);
        before = std::move(after);
    }
    return {};
}

}  // namespace isotick::harness
