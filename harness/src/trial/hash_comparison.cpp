#include "hash_comparison.hpp"

#include <utility>

namespace isotick::harness {

using core::Result;

Result<HashComparison> HashComparison::make(const TrialPlan& plan,
                                            const core::Simulation& simulation,
                                            TrialResult& result) {
    HashComparison comparison(plan.trace, simulation, result);
    if (!plan.hashes) {
        return comparison;
    }
    return HashColumn::open(*plan.hashes).map([&comparison](HashColumn&& column) {
        comparison.column_ = std::move(column);
        return std::move(comparison);
    });
}

bool HashComparison::keeps() const {
    return trace_ || (column_ && column_->use() == HashFile::Use::write);
}

Result<std::optional<AwaitedHash>> HashComparison::wanted(std::uint64_t ticks_done,
                                                          const FrameContext& context,
                                                          RecordedHash recorded) const {
    if (trace_ && (ticks_done < trace_->first || ticks_done > trace_->last)) {
        return std::nullopt;
    }
    if (keeps()) {
        return AwaitedHash{ticks_done, context, {}, {}};
    }
    if (column_) {
        const auto written = column_->read(ticks_done);
        if (!written) {
            return tl::unexpected(written.error());
        }
        recorded = {*written, {}};
    }
    if (!recorded.state) {
        return std::nullopt;
    }
    return AwaitedHash{ticks_done, context, recorded.state, recorded.parts};
}

bool HashComparison::take(const AwaitedHash& awaited, core::StateHash computed) {
    if (!awaited.recorded) {
        return keep(awaited, computed);
    }
    TrialStatistics& statistics = result_.statistics;
    std::optional<core::StateHash>& last = result_.last_hash;
    statistics.hash_changed = statistics.hash_changed || (last && *last != computed);
    last = computed;
    statistics.hashes_compared += awaited.ticks_done == 0 ? 0 : 1;
    if (computed == *awaited.recorded) {
        last_agreed_ = awaited.ticks_done;
        return true;
    }
    result_.divergence = Divergence{state_of(awaited, computed),
                                    *awaited.recorded,
                                    {awaited.recorded_parts.begin(), awaited.recorded_parts.end()},
                                    last_agreed_};
    return false;
}

bool HashComparison::keep(const AwaitedHash& awaited, core::StateHash computed) {
    if (trace_) {
        result_.trace.push_back(state_of(awaited, computed));
        return true;
    }
    kept_ = column_->write(awaited.ticks_done, computed);
    return kept_.has_value();
}

StateRecord HashComparison::state_of(const AwaitedHash& awaited, core::StateHash hash) const {
    return {awaited.ticks_done,
            hash,
            {simulation_.parts().begin(), simulation_.parts().end()},
            awaited.context};
}

}  // namespace isotick::harness
