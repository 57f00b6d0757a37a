#include "setting_rows.hpp"

#include "rows.hpp"

#include <isotick/harness/detail/match.hpp>

namespace isotick::harness {
namespace {

std::string in_words(const VariedSetting& setting, const core::SimulationSetup& setup) {
    const auto usual = usual_value(setting, setup);
    const bool config = setting.where == VariedSetting::Where::config;
    const std::string text = setting.key + "=" + setting.value;
    if (!usual) {
        return text + (config ? ", which the recorded config leaves open"
                              : " in the environment, where it is not set otherwise");
    }
    return text + (config ? " instead of the recorded " : " in the environment, instead of ") +
           *usual;
}

}  // namespace

std::string varied_rows(const char* name, const std::vector<VariedSetting>& settings,
                        const replay::RecordingHead& head, const core::Settings& environment) {
    const core::SimulationSetup setup = setup_of(head, environment);
    std::string text;
    for (std::size_t i = 0; i < settings.size();) {
        VariedSetting all = settings[i];
        for (++i; i < settings.size() && name_of(settings[i]) == name_of(all); ++i) {
            all.value += "," + settings[i].value;
        }
        text += row(name, in_words(all, setup));
    }
    return text;
}

std::string setting_cause(const TrialPlan& plan, bool setting_provoked) {
    if (plan.varied.empty()) {
        return "";
    }
    return setting_provoked
               ? "the setting: the same trial without it comes to the recorded hash"
               : "not the setting alone: the same trial without it does not come to the recorded "
                 "hash either";
}

}  // namespace isotick::harness
