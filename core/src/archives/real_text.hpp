#pragma once
// Real numbers from JSON's text, correctly rounded whatever the library and the locale.

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

#if !defined(__cpp_lib_to_chars)
#include <cerrno>
#include <clocale>
#include <cstdlib>
#if defined(__APPLE__)
#include <xlocale.h>
#endif
#endif

namespace isotick::core {

/// The number nearest to `text`, which is a number in JSON's grammar; none where it is beyond what
/// Number holds, or so small that only 0 is left of it.
template <class Number>
[[nodiscard]] std::optional<Number> real_from(const std::string& text) {
    static_assert(std::is_same_v<Number, float> || std::is_same_v<Number, double>);
#if defined(__cpp_lib_to_chars)
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
#else
    // libc++ has no from_chars for them before version 20.
    static const locale_t classic = newlocale(LC_ALL_MASK, "C", nullptr);
    char* end = nullptr;
    errno = 0;
    Number number = 0;
    if constexpr (std::is_same_v<Number, float>) {
        number = strtof_l(text.c_str(), &end, classic);
    } else {
        number = strtod_l(text.c_str(), &end, classic);
    }
    const bool is_read =
        end == text.c_str() + text.size() && !(errno == ERANGE && std::abs(number) == 0);
#endif
    return is_read && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

}  // namespace isotick::core
