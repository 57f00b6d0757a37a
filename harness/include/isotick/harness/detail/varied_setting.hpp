#pragma once
// Settings that must not matter: one more thing that a trial may vary.

#include <isotick/core/result.hpp>
#include <isotick/core/simulation.hpp>
#include <isotick/core/detail/adapter/simulation_table.hpp>

#include <optional>
#include <string>
#include <vector>

namespace isotick::harness {

/// A setting of the config or the environment that has another value than usual, such as the number
/// of workers. The session stays what it is: what is recorded must come out all the same.
struct VariedSetting {
    enum class Where { config, environment };

    Where where = Where::config;
    std::string key;
    std::string value;
    friend bool operator==(const VariedSetting&, const VariedSetting&) = default;
};

/// `config.workers`, `environment.workers`.
[[nodiscard]] std::string name_of(const VariedSetting& setting);

/// The value that `setting` replaces in `setup`; none where it is not set there.
[[nodiscard]] std::optional<std::string> usual_value(const VariedSetting& setting,
                                                     const core::SimulationSetup& setup);

/// The names of those that `simulation` is known not to have looked at so far.
[[nodiscard]] std::vector<std::string> unread_by(const core::Simulation& simulation,
                                                 const std::vector<VariedSetting>& settings);

/// Puts the settings into `setup`. Fails on a key or value that core::Settings refuses.
[[nodiscard]] core::Result<void> apply(const std::vector<VariedSetting>& settings,
                                       core::SimulationSetup& setup);

}  // namespace isotick::harness
