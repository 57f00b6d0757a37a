// The axes `config.KEY` and `environment.KEY`: settings that a simulation is created with, such as
// the number of its workers. The session stays what it is, and must come out all the same.

#include "axes.hpp"

namespace isotick::harness {
namespace {

using core::Result;

Result<void> to_config(std::string_view key, std::string_view value, core::SimulationSetup& setup) {
    return setup.config.set(std::string(key), std::string(value));
}

Result<void> to_environment(std::string_view key, std::string_view value,
                            core::SimulationSetup& setup) {
    return setup.environment.set(std::string(key), std::string(value));
}

}  // namespace

extern const Axis kConfigAxis;
extern const Axis kEnvironmentAxis;
const Axis kConfigAxis{
    .name = "config.", .varies = "a setting of the recorded config", .to_setup = to_config};
const Axis kEnvironmentAxis{.name = "environment.",
                            .varies = "a setting of the simulation's environment",
                            .to_setup = to_environment,
                            .users_alone = true};

std::optional<std::string> usual_value(const AxisValue& value, const core::SimulationSetup& setup) {
    const Axis* axis = find_axis(value.axis);
    const auto found = axis == &kConfigAxis        ? setup.config.find(key_of(value))
                       : axis == &kEnvironmentAxis ? setup.environment.find(key_of(value))
                                                   : std::nullopt;
    return found ? std::optional(std::string(*found)) : std::nullopt;
}

std::vector<std::string> unread_by(const core::Simulation& simulation,
                                   const std::vector<AxisValue>& values) {
    std::vector<std::string> unread;
    for (const AxisValue& value : values) {
        const Axis* axis = find_axis(value.axis);
        const bool read = !simulation.counts_reads() || axis == nullptr || !axis->is_setting() ||
                          (axis == &kConfigAxis ? simulation.has_read_config(key_of(value))
                                                : simulation.has_read_environment(key_of(value)));
        if (!read) {
            unread.push_back(value.axis);
        }
    }
    return unread;
}

}  // namespace isotick::harness
