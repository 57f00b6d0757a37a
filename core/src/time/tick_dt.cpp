#include "../text/number_text.hpp"

#include <isotick/core/detail/time/tick_dt.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace isotick::core {

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

}  // namespace isotick::core
