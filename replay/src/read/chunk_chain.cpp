#include "chunk_chain.hpp"

#include <span>

namespace isotick::replay {

ChunkChain::ChunkChain(const RecordingHead& head, const TickHashes& initial)
    : stride_(head.stride()), session_(head.session), hashes_(head), last_state_(initial.state) {
    hashes_.add(0, initial.state, initial.parts);
}

void ChunkChain::add(const StoredTicks& ticks) {
    if (ticks.first == next_tick_) {
        place_ = {};
    }
    while (next_tick_ < ticks.end()) {
        add_session(ticks, static_cast<std::uint32_t>(next_tick_ - ticks.first));
        add_hashes(ticks);
        ++next_tick_;
    }
}

void ChunkChain::add_session(const StoredTicks& ticks, std::uint32_t row) {
    const auto& [changes, bytes] = ticks.inputs;
    for (; place_.change < changes.size() && changes[place_.change].tick == row; ++place_.change) {
        const InputChange& change = changes[place_.change];
        session_.add(change, std::span(bytes).subspan(change.offset, change.size()));
    }
    if (place_.dt < ticks.dts.size() && ticks.dts[place_.dt].tick == row) {
        ++place_.dt;
    }
    if (place_.dt != 0 && ticks.dts[place_.dt - 1].dt) {
        session_.add(*ticks.dts[place_.dt - 1].dt);
    }
    session_.end_tick();
}

void ChunkChain::add_hashes(const StoredTicks& ticks) {
    const core::Tick tick{next_tick_};
    last_state_.reset();
    if (stride_.hash_due(tick)) {
        const std::size_t parts = stride_.parts_due(tick) ? stride_.part_count : 0;
        last_state_ = ticks.states[place_.state++];
        hashes_.add(next_tick_ + 1, *last_state_,
                    std::span(ticks.parts).subspan(place_.part, parts));
        place_.part += parts;
    }
}

}  // namespace isotick::replay
