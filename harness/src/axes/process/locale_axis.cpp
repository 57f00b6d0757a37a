// The axis `locale`: the host has called setlocale, as those do whose user interface speaks the
// user's language. Drawn is a locale of our own with a decimal comma: few machines have another.

#include "../../run/host/other_locale.hpp"
#include "../axis.hpp"
#include "../call_setup.hpp"

#include <array>

namespace isotick::harness {
namespace {

core::Result<void> check_locale(std::string_view value) {
    constexpr std::size_t kLongest = 64;
    return !value.empty() && value.size() <= kLongest &&
                   value.find_first_of("/;= ") == std::string_view::npos
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage,
                            "expected comma, or a locale such as de_DE.UTF-8, not '" +
                                std::string(value) + "'");
}

std::string draw_locale(core::Pcg32&) {
    return std::string(kCommaLocale);
}

void locale_to_calls(std::string_view value, CallSetup& calls) {
    calls.locale = value;
}

constexpr std::array<std::string_view, 1> kLocaleBrings{"heap"};  // what setlocale allocates

}  // namespace

extern const Axis kLocaleAxis;
const Axis kLocaleAxis{.name = "locale",
                       .varies = "the locale, which decides on a decimal comma",
                       .check = check_locale,
                       .draw = draw_locale,
                       .by_default = true,
                       .why_not_here = why_no_locale,
                       .to_calls = locale_to_calls,
                       .brings = kLocaleBrings};

}  // namespace isotick::harness
