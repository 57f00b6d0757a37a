#include <isotick/core/hand_over.hpp>

#include <algorithm>
#include <limits>

namespace isotick::core {
namespace {

constexpr double kJustBelowOne = 1.0 - std::numeric_limits<double>::epsilon() / 2;

}  // namespace

double alpha_at(TickRate rate, std::uint64_t ticks_done, std::int64_t now) {
    const std::int64_t since = rate.time_of(ticks_done);
    const std::int64_t until = rate.time_of(ticks_done + 1);
    if (now <= since || until <= since) {
        return 0;
    }
    const double passed = static_cast<double>(now - since) / static_cast<double>(until - since);
    return std::min(passed, kJustBelowOne);
}

}  // namespace isotick::core
