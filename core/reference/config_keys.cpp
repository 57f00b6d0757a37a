#include "config_keys.hpp"

#include <isotick/core/simulation_type.hpp>

#include <algorithm>
#include <string>

namespace isotick::core::reference {

void require_known_keys(const Settings& config, std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : config.entries()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) {
            continue;
        }
        std::string message = "unknown config key '" + key + "'; known keys:";
        for (const std::string_view each : known) {
            message += ' ';
            message += each;
        }
        throw BadSettings(message);
    }
}

}  // namespace isotick::core::reference
