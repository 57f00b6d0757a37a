// The axis `locale`: the host has called setlocale, as those do whose user interface speaks the
// user's language. Drawn is a locale of our own with a decimal comma: few machines have another.

#include "../../run/host/other_locale.hpp"
#include "../axis.hpp"
#include "../call_setup.hpp"

#include <array>

namespace isotick::harness {
namespace {

core::Result<void> check_value(std::string_view value) {
    constexpr std::size_t kLongest = 64;
    return !value.empty() && value.size() <= kLongest &&
                   value.find_first_of("/;= ") == std::string_view::npos
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage,
                            "expected comma, or a locale such as de_DE.UTF-8, not '" +
                                std::string(value) + "'");
}

std::string draw(core::Pcg32&) {
    return std::string(kCommaLocale);
}

void to_calls(std::string_view value, CallSetup& calls) {
    calls.locale = value;
}

constexpr std::array<std::string_view, 1> kBrings{"heap"};  // what setlocale allocates

}  // namespace

extern const Axis kLocaleAxis;
const Axis kLocaleAxis{.name = "locale",
                       .varies = "the locale, which decides on a decimal comma",
                       .check = check_value,
                       .draw = draw,
                       .by_default = true,
                       .is_felt = is_locale,
                       .to_calls = to_calls,
                       .brings = kBrings};

}  // namespace isotick::harness
