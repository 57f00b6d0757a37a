#include "live_game.hpp"

#include <isotick/core/detail/try.hpp>

#include <algorithm>
#include <utility>

namespace isotick::harness {
namespace {

using core::Result;

constexpr std::uint32_t kMostUnconfirmed = 4096;  // ticks
constexpr std::uint32_t kPatience_ms = 30'000;

}  // namespace

Result<LiveGame> LiveGame::start(core::Simulation simulation, const replay::RecordingHead& head,
                                 const std::string& recording) {
    LiveGame game(std::move(simulation));
    ISOTICK_TRY_ASSIGN(const auto initial, game.simulation_.hash());
    if (!recording.empty()) {
        ISOTICK_TRY_ASSIGN(game.recorder_, replay::Recorder::create(
                                               recording, head, {initial, game.simulation_.parts()},
                                               {.durable = false,
                                                .patience_ms = kPatience_ms,
                                                .most_unconfirmed = kMostUnconfirmed}));
    }
    return game;
}

Result<void> LiveGame::go_back_to(core::Tick tick) {
    const auto found = saved_.find(tick.value);
    if (found == saved_.end()) {
        return core::fail(core::ErrorCode::simulation, "no snapshot to go back to");
    }
    return simulation_.load(found->second);
}

Result<core::StateHash> LiveGame::step(const PeerStep& step) {
    if (step.saves) {
        auto& kept = saved_.try_emplace(step.tick.value, std::move(spare_)).first->second;
        spare_.clear();
        ISOTICK_TRY(simulation_.save_into(kept));
    }
    ISOTICK_TRY(simulation_.step(step.tick, step.inputs));
    ISOTICK_TRY_ASSIGN(const auto hash, simulation_.hash());
    hashes_.resize(static_cast<std::size_t>(step.tick.value - first_tick_));
    hashes_.push_back(hash);
    last_parts_.assign(simulation_.parts().begin(), simulation_.parts().end());
    ISOTICK_TRY(record(step, hash));
    return hash;
}

Result<void> LiveGame::record(const PeerStep& step, core::StateHash hash) {
    if (!recorder_) {
        return {};
    }
    const replay::TickHashes hashes{hash, simulation_.parts()};
    return recorder_->record(step.tick, step.inputs,
                             recorder_->hash_due(step.tick) ? &hashes : nullptr);
}

Result<std::vector<std::byte>> LiveGame::snapshot(std::uint64_t ticks_done, core::Tick next) {
    if (ticks_done == next.value) {
        return simulation_.save();
    }
    const auto found = saved_.find(ticks_done);
    if (found == saved_.end()) {
        return core::fail(core::ErrorCode::simulation, "no snapshot for a peer that joins");
    }
    return found->second;
}

Result<void> LiveGame::arrive(const Peer::Arrival& arrival) {
    ISOTICK_TRY(simulation_.load(arrival.snapshot));
    saved_.clear();
    hashes_.clear();
    first_tick_ = arrival.ticks_done;
    confirmed_ = arrival.ticks_done;
    return {};
}

Result<void> LiveGame::confirm(std::uint64_t verified) {
    while (!saved_.empty() && saved_.begin()->first < verified) {
        spare_ = std::move(saved_.begin()->second);
        saved_.erase(saved_.begin());
    }
    if (recorder_ && verified > confirmed_) {
        ISOTICK_TRY(recorder_->confirm({verified - 1}));
    }
    confirmed_ = std::max(confirmed_, verified);
    return {};
}

Result<void> LiveGame::finish(std::uint64_t verified, core::Tick next) {
    if (!recorder_ || verified != next.value || hashes_.empty()) {
        return {};
    }
    return recorder_->finish({hashes_.back(), last_parts_});
}

std::vector<core::StateHash> LiveGame::hashes(std::uint64_t verified) const {
    const std::uint64_t count = verified > first_tick_ ? verified - first_tick_ : 0;
    const auto end = std::min<std::size_t>(hashes_.size(), static_cast<std::size_t>(count));
    return {hashes_.begin(), hashes_.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace isotick::harness
