#include <isotick/harness/detail/varied_setting.hpp>

namespace isotick::harness {
namespace {

template <class Setup>
auto& settings_of(const VariedSetting& setting, Setup& setup) {
    return setting.where == VariedSetting::Where::config ? setup.config : setup.environment;
}

}  // namespace

std::string name_of(const VariedSetting& setting) {
    const bool config = setting.where == VariedSetting::Where::config;
    return (config ? "config." : "environment.") + setting.key;
}

std::optional<std::string> usual_value(const VariedSetting& setting,
                                       const core::SimulationSetup& setup) {
    const auto found = settings_of(setting, setup).find(setting.key);
    return found ? std::optional(std::string(*found)) : std::nullopt;
}

std::vector<std::string> unread_by(const core::Simulation& simulation,
                                   const std::vector<VariedSetting>& settings) {
    std::vector<std::string> unread;
    for (const VariedSetting& setting : settings) {
        const bool read =
            !simulation.counts_reads() || (setting.where == VariedSetting::Where::config
                                               ? simulation.has_read_config(setting.key)
                                               : simulation.has_read_environment(setting.key));
        if (!read) {
            unread.push_back(name_of(setting));
        }
    }
    return unread;
}

core::Result<void> apply(const std::vector<VariedSetting>& settings, core::SimulationSetup& setup) {
    for (const VariedSetting& setting : settings) {
        if (auto set = settings_of(setting, setup).set(setting.key, setting.value); !set) {
            return set;
        }
    }
    return {};
}

}  // namespace isotick::harness
