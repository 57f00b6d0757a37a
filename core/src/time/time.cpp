#include "../text/number_text.hpp"

#include <isotick/core/time.hpp>

#include <limits>
#include <numeric>

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

}  // namespace isotick::core
