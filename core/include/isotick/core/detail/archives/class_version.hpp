#pragma once
// The pair that cereal adds to a class for its version.

#include <cstdint>
#include <string_view>
#include <type_traits>

namespace isotick::core::detail {

/// Whether a pair of this name whose value is a T is cereal's version of a class: not part of the
/// state.
template <class T>
[[nodiscard]] bool is_class_version([[maybe_unused]] const char* name) {
    if constexpr (std::is_same_v<std::remove_cvref_t<T>, std::uint32_t>) {
        return name[0] == 'c' && std::string_view(name) == "cereal_class_version";
    } else {
        return false;
    }
}

}  // namespace isotick::core::detail
