#include <isotick/core/own_rate.hpp>

#include <numeric>

namespace isotick::core {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMostInATick = std::uint64_t{1} << 31;

}  // namespace

// Terms of rates are at most 10^9, so their products fit 64 bits, and those times a tick's number
// 128.
Result<OwnRate> OwnRate::make(TickRate session, TickRate own) {
    const std::uint64_t numerator = std::uint64_t{own.numerator()} * session.denominator();
    const std::uint64_t denominator = std::uint64_t{own.denominator()} * session.numerator();
    if (numerator / denominator >= kMostInATick) {
        return fail(ErrorCode::limit, "a rate of " + to_string(own) + " is too high for ticks of " +
                                          to_string(session));
    }
    const std::uint64_t common = std::gcd(numerator, denominator);
    return OwnRate(numerator / common, denominator / common);
}

std::uint64_t OwnRate::due_before(Tick tick) const {
    return static_cast<std::uint64_t>(Wide{tick.value} * numerator_ / denominator_);
}

std::uint64_t OwnRate::due_in(Tick tick) const {
    const Wide before = Wide{tick.value} * numerator_;
    return static_cast<std::uint64_t>((before + numerator_) / denominator_ - before / denominator_);
}

}  // namespace isotick::core
