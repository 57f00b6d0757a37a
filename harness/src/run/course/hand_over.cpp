#include "hand_over.hpp"

#include <isotick/core/detail/try.hpp>
#include <isotick/harness/detail/peers/course_file.hpp>

#include <utility>

namespace isotick::harness {

using core::Result;

Result<void> HandOver::begin(const replay::RecordingHead& head) {
    if (request_.recording.empty()) {
        return {};
    }
    ISOTICK_TRY_ASSIGN(const auto initial, hashes({}));
    ISOTICK_TRY_ASSIGN(auto recording, PeerRecording::create(request_.recording, head, initial));
    recording_.emplace(std::move(recording));
    return {};
}

Result<void> HandOver::take(core::Tick tick, std::span<const isotick_input> inputs,
                            std::optional<core::TickDt> dt) {
    ISOTICK_TRY(recording_ ? record(tick, inputs, dt) : Result<void>());
    if (result_.divergence || next_snapshot_ == request_.save_at.size() ||
        request_.save_at[next_snapshot_].ticks_done != tick.value + 1) {
        return {};
    }
    return save(request_.save_at[next_snapshot_++], tick);
}

Result<void> HandOver::close() {
    return recording_ ? recording_->close() : Result<void>();
}

// Of the state now, which may have been hashed already.
Result<replay::TickHashes> HandOver::hashes(core::Tick tick) {
    if (!noted_ || noted_->steps != steps()) {
        progress_.enter({Activity::hashing, tick, steps()});
        ISOTICK_TRY_ASSIGN(const core::StateHash hash, simulation_.hash());
        note_hash(steps(), hash);
    }
    return replay::TickHashes{noted_->hash, simulation_.parts()};
}

Result<void> HandOver::record(core::Tick tick, std::span<const isotick_input> inputs,
                              std::optional<core::TickDt> dt) {
    const bool is_last = result_.divergence || course_.is_last_final(steps() - 1);
    if (!is_last && !recording_->hash_due(tick)) {
        return recording_->append(inputs, nullptr, dt);
    }
    ISOTICK_TRY_ASSIGN(const auto computed, hashes(tick));
    return recording_->append(inputs, &computed, dt);
}

Result<void> HandOver::save(const SnapshotRequest& snapshot, core::Tick tick) {
    ISOTICK_TRY(calls_.settle_all());
    if (calls_.over()) {
        return {};
    }
    progress_.enter({Activity::saving, tick, steps()});
    JoinState state{tick.value + 1, {}};
    ISOTICK_TRY(simulation_.save_into(state.snapshot));
    return write_join_state(snapshot.path, state);
}

}  // namespace isotick::harness
