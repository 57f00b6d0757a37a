#pragma once
// Which frames of a failing trial may not be nominal.

#include "original_frames.hpp"
#include "schedule_search.hpp"

#include <cstddef>
#include <vector>

namespace isotick::harness {

/// Makes frames nominal as long as the rest still fails. Needs a search whose best are all frames.
class NeededFrames {
  public:
    NeededFrames(const OriginalFrames& original, ScheduleSearch& search)
        : original_(original), search_(search), kept_(original.size(), true) {}

    void find();

  private:
    [[nodiscard]] KeptFrames without(std::size_t from, std::size_t to) const;
    bool fails_without(std::size_t from, std::size_t to);
    bool try_kept(const KeptFrames& kept, const std::vector<std::size_t>& checkpoints);

    [[nodiscard]] std::size_t end() const;  // behind the last frame that is kept
    std::size_t drop_front();
    std::size_t drop_back(std::size_t low, std::size_t high);
    void drop_between(std::size_t low, std::size_t high);
    void drop_unsure();

    const OriginalFrames& original_;
    ScheduleSearch& search_;
    KeptFrames kept_;
    std::vector<std::size_t> unsure_;  // kept without a trial of their own
};

}  // namespace isotick::harness
