#pragma once
// Hashes a live game's state as a recording wants it, through its cereal serialize. (Includes the
// hash archive, which is large: for the one source file that hashes.)

#include <isotick/core/hash_archive.hpp>
#include <isotick/replay/detail/tick_hashes.hpp>

#include <string>
#include <vector>

namespace isotick::replay {

/// Makes the hashes that the same type makes as a simulation (adapter.hpp), so that a recording of
/// the game can be verified with that. Memory is reused from tick to tick. Not thread-safe.
class StateHashes {
  public:
    explicit StateHashes(core::NanPolicy nans = core::NanPolicy::bits) : nans_(nans) {}

    /// The hashes of `state`, valid until the next call. Throws what core::hash_state throws.
    template <class State>
    [[nodiscard]] TickHashes operator()(const State& state) {
        core::hash_state(state, sink_, nans_);
        parts_.clear();
        for (const core::HashSink::Part& part : sink_.parts()) {
            parts_.push_back(part.hash);
        }
        return {core::hash_parts(parts_), parts_};
    }

    /// The names of the parts of the last state hashed: what RecordingHead::part_names wants.
    [[nodiscard]] std::vector<std::string> part_names() const {
        std::vector<std::string> names;
        for (const core::HashSink::Part& part : sink_.parts()) {
            names.push_back(part.name);
        }
        return names;
    }

  private:
    core::NanPolicy nans_;
    core::HashSink sink_;
    std::vector<core::PartHash> parts_;
};

}  // namespace isotick::replay
