// `mix(seed=11)`: blocks of 1 to 240 frames of other kinds, drawn one after the other.

#include "../draw_item.hpp"
#include "../parameters.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace isotick::core {
namespace {

constexpr std::array kParameters{kSeed};

class MixFrames {
  public:
    MixFrames(const ScheduleItem& item, const FramesStart& start)
        : random_(item.seed), now_(start) {}

    void operator()(std::span<std::int64_t> times) {
        while (!times.empty()) {
            if (left_ == 0) {
                const ScheduleItem block = draw_block(random_, now_.session_rate);
                frames_ = kind_of(block).frames(block, now_);
                left_ = block.count;
            }
            const auto some = times.first(std::min<std::size_t>(left_, times.size()));
            frames_(some);
            now_.pass(some);
            left_ -= some.size();
            times = times.subspan(some.size());
        }
    }

  private:
    Pcg32 random_;
    FramesStart now_;
    Frames frames_;           // of the block
    std::uint64_t left_ = 0;  // of them
};

}  // namespace

constinit const ItemKind kMixItem{
    .name = "mix",
    .parameters = kParameters,
    .frames = [](const ScheduleItem& item,
                 const FramesStart& start) { return Frames(MixFrames(item, start)); },
    .weights = {.block = 0}};

}  // namespace isotick::core
