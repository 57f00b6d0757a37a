#include "axis_rows.hpp"

#include "../axes/axes.hpp"
#include "rows.hpp"

#include <isotick/core/detail/text/joined.hpp>
#include <isotick/harness/detail/simulations/match.hpp>

namespace isotick::harness {
namespace {

std::string in_words(const AxisValue& value, const core::SimulationSetup& setup) {
    const Axis* axis = find_axis(value.axis);
    if (axis == nullptr || !axis->is_setting()) {
        return to_string(value) + (axis == nullptr ? "" : ": " + std::string(axis->varies));
    }
    const auto usual = usual_value(value, setup);
    const bool config = axis->name == "config.";
    const std::string text = key_of(value) + "=" + value.value;
    if (!usual) {
        return text + (config ? ", which the recorded config leaves open"
                              : " in the environment, usually not set");
    }
    return text + (config ? " instead of the recorded " : " in the environment, instead of ") +
           *usual;
}

bool is_setting(const AxisValue& value) {
    const Axis* axis = find_axis(value.axis);
    return axis != nullptr && axis->is_setting();
}

std::string subject_of(const std::vector<AxisValue>& values) {
    if (values.size() == 1 && is_setting(values.front())) {
        return "the setting";
    }
    std::vector<std::string> names;
    for (const AxisValue& value : values) {
        names.push_back(value.axis);
    }
    return core::joined(names, " and ");
}

}  // namespace

std::string in_short(const AxisValue& value) {
    return (is_setting(value) ? key_of(value) : value.axis) + "=" + value.value;
}

std::string trial_axis_rows(const TrialPlan& plan, const replay::RecordingHead& head) {
    const core::SimulationSetup setup = setup_of(head, plan.environment);
    std::string text;
    for (const AxisValue& value : plan.drive.axes) {
        text += row(is_setting(value) ? "setting" : "axis", in_words(value, setup));
    }
    return text;
}

std::string varied_rows(const std::vector<AxisValue>& values, const replay::RecordingHead& head,
                        const core::Settings& environment) {
    const core::SimulationSetup setup = setup_of(head, environment);
    std::string text;
    for (std::size_t i = 0; i < values.size();) {
        AxisValue all = values[i];
        for (++i; i < values.size() && values[i].axis == all.axis; ++i) {
            all.value += "," + values[i].value;
        }
        text += row("varied", in_words(all, setup));
    }
    return text;
}

std::string axis_cause(const std::vector<AxisValue>& varied,
                       const std::vector<AxisValue>& provoking) {
    if (varied.empty()) {
        return "";
    }
    const std::string it = (provoking.empty() ? varied : provoking).size() == 1 ? "it" : "them";
    return provoking.empty() ? "not " + subject_of(varied) + " alone: the same trial without " +
                                   it + " does not give the recorded hash either"
                             : subject_of(provoking) + ": the same trial without " + it +
                                   " gives the recorded hash";
}

std::string leak_row(const std::vector<AxisValue>& provoking, const std::string& tick) {
    const Axis* axis = provoking.size() == 1 ? find_axis(provoking.front().axis) : nullptr;
    return axis == nullptr || axis->leak == nullptr
               ? ""
               : row("leak", axis->leak(provoking.front().value, tick));
}

}  // namespace isotick::harness
