#include "../loops/limits.hpp"

#include <isotick/core/hand_over.hpp>

namespace isotick::core {

double alpha_at(TickRate rate, std::uint64_t ticks_done, std::int64_t now) {
    const std::int64_t since = rate.time_of(ticks_done);
    const std::int64_t until = rate.time_of(ticks_done + 1);
    if (now <= since || until <= since) {
        return 0;
    }
    return below_one(static_cast<double>(now - since) / static_cast<double>(until - since));
}

}  // namespace isotick::core
