#pragma once
// A short recorded session of any simulation, and audits of it.

#include "piles/piles.hpp"
#include "support/scratch_folder.hpp"

#include <isotick/core/detail/reference.hpp>
#include <isotick/harness/audit.hpp>
#include <isotick/harness/record.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace isotick::harness::testing {

class Session {
  public:
    explicit Session(const isotick_simulation_table& table, std::uint64_t ticks = 200,
                     InputSource inputs = InputSource::bot)
        : table_(table) {
        RecordPlan plan;
        plan.path = path();
        plan.setup.players = table.info->usual_players;
        plan.setup.seed = 1;
        plan.ticks = ticks;
        plan.inputs = inputs;
        Progress progress;
        const RecordResult recorded = run_record(plan, table, progress);
        if (recorded.error) {
            throw std::runtime_error(describe(*recorded.error));
        }
    }

    [[nodiscard]] std::string path() const { return folder_.file("s.isotick"); }

    [[nodiscard]] AuditReport audit(const AuditOptions& options = {}) const {
        return harness::audit(path(), options, probes_in_this_process(table_)).value();
    }

  private:
    tests::ScratchFolder folder_;
    const isotick_simulation_table& table_;
};

inline const isotick_simulation_table& reference(const std::string& name) {
    return *core::find_simulation(name);
}

/// All blind spots, a line each.
inline std::string lines(const std::vector<BlindSpot>& spots) {
    std::string text;
    for (const BlindSpot& spot : spots) {
        text += std::string(to_string(spot.measurement)) + ": " + to_string(spot) + "\n";
    }
    return text;
}

/// How many unseen ranges of all types turned out to be of this kind.
inline std::ptrdiff_t count(const AuditReport& report, RangeKind kind) {
    std::ptrdiff_t count = 0;
    for (const AuditedType& type : report.types) {
        count += std::count_if(type.ranges.begin(), type.ranges.end(),
                               [kind](const UnseenRange& range) { return range.kind == kind; });
    }
    return count;
}

}  // namespace isotick::harness::testing
