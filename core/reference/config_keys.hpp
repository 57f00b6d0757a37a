#pragma once
// Refusing config keys that a simulation does not know.

#include <isotick/core/detail/settings.hpp>

#include <initializer_list>
#include <string_view>

namespace isotick::core::reference {

/// Throws BadSettings, listing the known keys, if `config` has any other.
void require_known_keys(const Settings& config, std::initializer_list<std::string_view> known);

}  // namespace isotick::core::reference
