#pragma once
// A FakeSession, recorded tick by tick as a live game does.

#include "fake_session.hpp"

#include <isotick/replay/recorder.hpp>

#include <vector>

namespace isotick::replay {

/// Hands the ticks of a session to a Recorder. Memory is reused, so that what allocates is the
/// Recorder.
class LiveGame {
  public:
    explicit LiveGame(const FakeSession& session)
        : session_(session), entries_(session.head.session.players + std::size_t{1}) {
        stored_.resize(entries_.size());
    }

    [[nodiscard]] core::Result<Recorder> start(const std::string& path,
                                               RecorderOptions options = {}) const {
        const auto parts = session_.parts_after(0);
        return Recorder::create(path, session_.head, {session_.state_after(0), parts}, options);
    }

    /// Records `tick` as the session has it.
    core::Result<void> play(Recorder& recorder, std::uint64_t tick) {
        prepare(tick);
        return recorder.record(core::Tick{tick}, entries_, &hashes_, session_.dt(tick));
    }

    /// The inputs and hashes of `tick`, for the caller to change.
    std::vector<isotick_input>& prepare(std::uint64_t tick) {
        for (std::uint32_t column = 0; column < entries_.size(); ++column) {
            stored_[column] = session_.input(tick, column);
            const Input& input = stored_[column];
            const bool is_world = column + 1 == entries_.size();
            entries_[column] = {is_world ? ISOTICK_WORLD : column, input ? 1U : 0U,
                                input ? input->size() : 0, input ? input->data() : nullptr};
        }
        parts_ = session_.parts_after(tick + 1);
        hashes_ = {session_.state_after(tick + 1), parts_};
        return entries_;
    }
    [[nodiscard]] const TickHashes& hashes() const { return hashes_; }

    core::Result<void> finish(Recorder& recorder, std::uint64_t ticks) {
        parts_ = session_.parts_after(ticks);
        return recorder.finish({session_.state_after(ticks), parts_});
    }

  private:
    const FakeSession& session_;
    std::vector<Input> stored_;
    std::vector<isotick_input> entries_;
    std::vector<core::PartHash> parts_;
    TickHashes hashes_;
};

}  // namespace isotick::replay
