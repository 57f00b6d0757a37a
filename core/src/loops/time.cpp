// Ticks, frame times, tick rates, and the dt of a tick.

#include "../text/text.hpp"

#include <isotick/core/detail/tick_dt.hpp>
#include <isotick/core/time.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <string>

namespace isotick::core {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

Result<TickRate> TickRate::make(std::uint64_t numerator, std::uint64_t denominator) {
    if (numerator == 0 || denominator == 0) {
        return fail(ErrorCode::usage, "a rate needs a numerator and a denominator above zero");
    }
    const std::uint64_t divisor = std::gcd(numerator, denominator);
    numerator /= divisor;
    denominator /= divisor;
    if (numerator > kLargestTerm || denominator > kLargestTerm) {
        return fail(ErrorCode::limit, "a rate's terms must not exceed 1000000000");
    }
    return TickRate(static_cast<std::uint32_t>(numerator), static_cast<std::uint32_t>(denominator));
}

Result<TickRate> TickRate::parse(std::string_view text) {
    std::string_view digits = text;
    if (digits.ends_with("hz")) {
        digits.remove_suffix(2);
    }
    const auto terms = read_fraction(digits);
    if (!terms) {
        return fail(ErrorCode::usage,
                    "'" + std::string(text) + "' is not a rate; write 60hz or 60000/1001hz");
    }
    return make(terms->first, terms->second);
}

std::int64_t TickRate::time_of(std::uint64_t count) const {
    const Wide time = Wide{count} * denominator_ * Wide{kNanosecondsPerSecond} / numerator_;
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return time > Wide{kMost} ? kMost : static_cast<std::int64_t>(time);
}

std::string to_string(TickRate rate) {
    std::string text = std::to_string(rate.numerator());
    if (rate.denominator() != 1) {
        text += '/' + std::to_string(rate.denominator());
    }
    return text + "hz";
}

TickDt::TickDt(std::uint64_t numerator, std::uint64_t denominator)
    : numerator_(numerator), denominator_(denominator) {
    const std::uint64_t divisor = std::gcd(numerator, denominator);
    numerator_ /= divisor;
    denominator_ /= divisor;
}

Result<TickDt> TickDt::make(std::uint64_t numerator, std::uint64_t denominator) {
    if (denominator == 0) {
        return fail(ErrorCode::usage, "a dt needs a denominator above zero");
    }
    return TickDt(numerator, denominator);
}

TickDt TickDt::of(FrameTime frame_time) {
    const auto nanoseconds = std::max<std::int64_t>(frame_time.nanoseconds, 0);
    return {static_cast<std::uint64_t>(nanoseconds),
            static_cast<std::uint64_t>(kNanosecondsPerSecond)};
}

Result<TickDt> TickDt::exactly(double seconds) {
    // An IEEE 754 double is a whole number of 53 bits times a power of two.
    constexpr int kFractionBits = 52;
    constexpr int kBias = 1023 + kFractionBits;
    const auto bits = std::bit_cast<std::uint64_t>(seconds);
    const auto field = static_cast<int>(bits >> kFractionBits);  // negative numbers are above 2047
    std::uint64_t whole = bits & ((std::uint64_t{1} << kFractionBits) - 1);
    if ((bits << 1) == 0) {
        return TickDt(0, 1);
    }
    whole |= field == 0 ? 0 : std::uint64_t{1} << kFractionBits;
    const int zeros = std::countr_zero(whole);
    whole >>= zeros;
    const int power = std::max(field, 1) - kBias + zeros;
    if (field >= 2047 || power < -63 || power > std::countl_zero(whole)) {
        return fail(ErrorCode::usage,
                    "a dt must be a fraction of two 64-bit numbers, not negative");
    }
    return power < 0 ? TickDt(whole, std::uint64_t{1} << -power) : TickDt(whole << power, 1);
}

Result<TickDt> TickDt::parse(std::string_view text) {
    const auto terms = read_fraction(text);
    if (!terms || terms->second == 0) {
        return fail(ErrorCode::usage,
                    "'" + std::string(text) + "' is not a dt; write 1/60, or 2, in seconds");
    }
    return TickDt(terms->first, terms->second);
}

std::string to_string(TickDt dt) {
    const std::string seconds = std::to_string(dt.numerator());
    return dt.denominator() == 1 ? seconds : seconds + '/' + std::to_string(dt.denominator());
}

Result<void> check_dt(const isotick_info& info, Tick tick, TickDt dt, TickDt constant) {
    if (dt == constant || (info.capabilities & ISOTICK_CHANGING_DT) != 0) {
        return {};
    }
    return tl::unexpected<Error>(Error{ErrorCode::usage,
                                       "its dt is " + to_string(dt) + " s instead of " +
                                           to_string(constant) + " s, but " + info.name +
                                           " does not declare that it accepts a changing dt",
                                       {},
                                       {},
                                       tick.value});
}

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
