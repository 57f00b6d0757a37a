#pragma once
// The option --vary: settings that must not matter.

#include <isotick/core/settings.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/detail/varied_setting.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <functional>
#include <string>
#include <vector>

namespace isotick::program {

/// The settings that the options `texts` ask for: `workers=1,2,4`, `config.workers=…` or
/// `environment.workers=…`; values that this recording or environment has anyway are left out. A
/// key without a prefix is of the config where the recorded config has it, or the simulation's
/// config help names it (`workers=`), else of the environment. `facts` is called where there are
/// any. Fails on what is no key with values, on a key or value that is there twice, on more than 64
/// values in all, and where no value of a key is another than usual.
[[nodiscard]] core::Result<std::vector<harness::VariedSetting>> varied_settings(
    const std::vector<std::string>& texts, const replay::RecordingHead& head,
    const core::Settings& environment,
    const std::function<core::Result<harness::SimulationFacts>()>& facts);

/// Fails where two settings are of one key: a single trial has one value of each.
[[nodiscard]] core::Result<void> one_value_each(
    const std::vector<harness::VariedSetting>& settings);

/// `--vary config.workers=4`: asks for just this setting.
[[nodiscard]] std::string vary_argument(const harness::VariedSetting& setting);

}  // namespace isotick::program
