// `edges(nominal, seed=9)`: every frame ends 1 ns before, at or 1 ns after a floored multiple of
// the tick. One multiple in four is crept across in 1 ns frames; one in eight is leapt over.

#include "../parameters.hpp"

#include <isotick/core/random.hpp>

#include <array>
#include <utility>

namespace isotick::core {
namespace {

constexpr std::array kParameters{kRate, kSeed};

class EdgeFrames {
  public:
    EdgeFrames(const ScheduleItem& item, const FramesStart& start)
        : random_(item.seed),
          clock_(generator_rate(item, start)),
          offset_(clock_.seek(start.elapsed)) {}

    std::int64_t operator()() {
        if (is_creeping_ && offset_ < 1) {
            ++offset_;
            return 1;
        }
        std::int64_t distance = clock_.next();
        if (random_.chance(1, 8)) {
            distance += clock_.next();
        }
        const std::uint32_t drawn = random_.below(4);
        is_creeping_ = drawn == 3;
        const std::int64_t offset = is_creeping_ ? -1 : std::int64_t{drawn} - 1;
        return distance - std::exchange(offset_, offset) + offset;
    }

  private:
    Pcg32 random_;
    TickClock clock_;
    std::int64_t offset_;  // where the last frame ended, from the multiple before
    bool is_creeping_ = false;
};

}  // namespace

constinit const ItemKind kEdgesItem{
    .name = "edges",
    .parameters = kParameters,
    .frames = [](const ScheduleItem& item,
                 const FramesStart& start) { return frames_of(EdgeFrames(item, start)); },
    .rate_factor = 0};  // the edges that matter are those of the session's own ticks

}  // namespace isotick::core
