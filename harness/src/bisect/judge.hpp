#pragma once
// Holds builds of a simulation against a recording, and against the build that it is right for.

#include "by_fields.hpp"
#include "expectation.hpp"

#include <isotick/core/result.hpp>
#include <isotick/harness/detail/simulation_catalog.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/detail/trial_runner.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace isotick::harness::bisect {

struct JudgeOptions {
    std::string recording;  ///< path
    /// The build that comes to the recorded hashes: with it first ticks are exact and fields known.
    std::optional<SimulationName> good{};
    Drive drive{};
    core::Settings environment{};
    WorkerOptions worker{};
    FieldChoice choice{};         ///< which fields count
    std::size_t most_fields = 3;  ///< to list, of each kind
};

class Judge {
  public:
    /// Fails where the recording cannot be read.
    [[nodiscard]] static core::Result<Judge> make(JudgeOptions options);

    [[nodiscard]] const replay::RecordingHead& head() const { return head_; }

    /// The same judge, but holding builds against this one.
    [[nodiscard]] core::Result<Judge> against(const SimulationName& good) const {
        JudgeOptions options = options_;
        options.good = good;
        return make(std::move(options));
    }

    /// Replays with `candidate`, up to the state that `most` ticks make, and confirms in fresh
    /// processes what diverges. Fails where no build could be judged: the recording is damaged.
    [[nodiscard]] core::Result<Judgement> judge(const SimulationName& candidate,
                                                std::optional<std::uint64_t> most = {}) const;

  private:
    Judge(JudgeOptions options, replay::RecordingHead head, std::shared_ptr<GoodFields> good)
        : options_(std::move(options)), head_(std::move(head)), good_(std::move(good)) {}

    JudgeOptions options_;
    replay::RecordingHead head_;
    std::shared_ptr<GoodFields> good_;  // null where no good build is known
};

}  // namespace isotick::harness::bisect
