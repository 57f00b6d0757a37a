#include "hash_comparison.hpp"

#include <isotick/core/detail/bytes.hpp>
#include <isotick/core/detail/try.hpp>

#include <array>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace isotick::harness {
namespace {

constexpr std::uint64_t kHashBytes = sizeof(core::StateHash::value);

}  // namespace

core::Result<HashColumn> HashColumn::open(const HashFile& file) {
    FileDescriptor opened(::open(file.path.c_str(), O_RDWR | O_CLOEXEC));
    if (opened.get() < 0) {
        return system_failure("cannot open the hashes in " + file.path);
    }
    return HashColumn(std::move(opened), file.use);
}

core::Result<void> HashColumn::write(std::uint64_t ticks_done, core::StateHash hash) {
    std::array<std::byte, kHashBytes> bytes{};
    core::store(bytes.data(), hash.value);
    const auto offset = static_cast<off_t>(ticks_done * kHashBytes);
    if (pwrite(file_.get(), bytes.data(), bytes.size(), offset) !=
        static_cast<ssize_t>(bytes.size())) {
        return system_failure("cannot write a hash");
    }
    return {};
}

core::Result<std::optional<core::StateHash>> HashColumn::read(std::uint64_t ticks_done) const {
    std::array<std::byte, kHashBytes> bytes{};
    const auto offset = static_cast<off_t>(ticks_done * kHashBytes);
    const ssize_t count = pread(file_.get(), bytes.data(), bytes.size(), offset);
    if (count < 0) {
        return system_failure("cannot read a hash");
    }
    if (count < static_cast<ssize_t>(bytes.size())) {
        return std::nullopt;
    }
    return core::StateHash{core::ByteReader(bytes).get<std::uint64_t>()};
}

using core::Result;

Result<HashComparison> HashComparison::make(const TrialPlan& plan,
                                            const core::Simulation& simulation,
                                            TrialResult& result) {
    HashComparison comparison(plan, simulation, result);
    if (!plan.hashes) {
        return comparison;
    }
    return HashColumn::open(*plan.hashes).map([&comparison](HashColumn&& column) {
        comparison.column_ = std::move(column);
        return std::move(comparison);
    });
}

bool HashComparison::keeps() const {
    return takes_none_ || trace_ || (column_ && column_->use() == HashFile::Use::write);
}

Result<bool> HashComparison::wants(AwaitedHash& state) const {
    if (takes_none_ || (trace_ && (state.steps < trace_->first || state.steps > trace_->last))) {
        return false;
    }
    if (keeps() || column_) {
        state.recorded.reset();
        state.recorded_parts = {};
    }
    if (keeps()) {
        return true;
    }
    if (column_) {
        ISOTICK_TRY_ASSIGN(state.recorded, column_->read(state.ticks_done));
    }
    return state.recorded.has_value();
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
        last_agreed_ = Agreed{awaited.ticks_done, awaited.steps};
        return true;
    }
    result_.divergence = Divergence{state_of(awaited, computed),
                                    *awaited.recorded,
                                    {awaited.recorded_parts.begin(), awaited.recorded_parts.end()},
                                    {},
                                    {}};
    if (last_agreed_) {
        result_.divergence->last_agreed = last_agreed_->ticks_done;
        result_.divergence->last_agreed_steps = last_agreed_->steps;
    }
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
    return {
        awaited.ticks_done, hash,          {simulation_.parts().begin(), simulation_.parts().end()},
        awaited.context,    awaited.steps, awaited.rerun};
}

}  // namespace isotick::harness
