#include "state_observers.hpp"

#include "../../observe/state_dump_file.hpp"

#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/detail/try.hpp>

namespace isotick::harness {

using core::Result;

Result<void> StateObservers::open() {
    if (plan_.field_digests) {
        ISOTICK_TRY_ASSIGN(auto file, FieldDigestFile::open(*plan_.field_digests, simulation_));
        digests_.emplace(std::move(file));
    }
    if (plan_.watch) {
        ISOTICK_TRY_ASSIGN(auto file, FieldWatch::open(*plan_.watch, simulation_));
        watch_.emplace(std::move(file));
    }
    return {};
}

void StateObservers::enter(std::uint64_t ticks_done) {
    progress_.enter(
        {Activity::showing_fields, core::Tick{ticks_done == 0 ? 0 : ticks_done - 1}, steps()});
}

Result<void> StateObservers::watch(core::Tick tick) {
    if (!watch_) {
        return {};
    }
    enter(tick.value + 1);
    return watch_->look(simulation_, tick);
}

Result<void> StateObservers::digest(std::uint64_t ticks_done) {
    if (!digests_) {
        return {};
    }
    enter(ticks_done);
    return digests_->look(simulation_, ticks_done);
}

void StateObservers::take_checkpoint(const char* name) {
    if (!hashed_ || result_.checkpoints.size() == kMostCheckpoints) {
        return;
    }
    const Place step = progress_.place();
    progress_.enter({Activity::hashing, step.tick, step.steps});
    hashed_ = simulation_.hash().map([&](core::StateHash hash) {
        const auto parts = simulation_.parts();
        result_.checkpoints.push_back(
            {name == nullptr ? "" : core::printable(name), hash, {parts.begin(), parts.end()}});
    });
    progress_.enter(step);
}

// After a failure of the simulation's nothing more may be asked of it.
void StateObservers::dump(std::uint64_t ticks_done, bool is_last) {
    keep_diverged(ticks_done);
    if (!plan_.dump || (plan_.dump->steps ? *plan_.dump->steps != steps() : !is_last)) {
        return;
    }
    enter(ticks_done);
    if (auto written = write_state_dump(simulation_, ticks_done, plan_.dump->path)) {
        result_.dumped = true;
    } else {
        result_.dump_failed = written.error();
    }
}

// Where answers lag behind, the simulation has gone on when a hash is seen to be wrong.
void StateObservers::keep_diverged(std::uint64_t ticks_done) {
    if (plan_.keep_diverged_state && result_.divergence &&
        result_.divergence->computed.steps == steps()) {
        enter(ticks_done);
        result_.diverged_state = state_dump(simulation_, ticks_done, kLargestKeptState);
    }
}

}  // namespace isotick::harness
