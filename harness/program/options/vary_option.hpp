#pragma once
// The options --vary and --perturb: what must not matter, at values that the user names or that
// are drawn.

#include <isotick/core/detail/settings.hpp>
#include <isotick/harness/detail/drive.hpp>
#include <isotick/harness/detail/simulation_facts.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <functional>
#include <string>
#include <vector>

namespace isotick::program {

/// The values that the options `texts` ask for: `workers=1,2,4`, `config.workers=…`,
/// `environment.workers=…` or `environment-size=…`; values that this recording or environment has
/// anyway are left out. What names no axis is a setting: of the config where the recorded config
/// has it, or the simulation's config help names it (`workers=`), else of the environment. `facts`
/// is called where there are any. Fails on what is no key with values, on a key or value that is
/// there twice, on a value that the axis does not have, on more than 64 values in all, and where no
/// value of a key is another than usual.
[[nodiscard]] core::Result<std::vector<harness::AxisValue>> varied_axes(
    const std::vector<std::string>& texts, const replay::RecordingHead& head,
    const core::Settings& environment,
    const std::function<core::Result<harness::SimulationFacts>()>& facts);

/// `vary` with what `--rollback DEPTH[,EVERY]` stands for: `rollback=DEPTH every EVERY`.
[[nodiscard]] std::vector<std::string> with_rollback(std::vector<std::string> vary,
                                                     const std::string& rollback);

/// Fails where two values are of one axis: a single trial has one value of each.
[[nodiscard]] core::Result<void> one_value_each(const std::vector<harness::AxisValue>& values);

/// Stands for the axes that are drawn unless the user says otherwise.
inline constexpr const char* kDefaultAxes = "default";

/// The names of the axes whose values are to be drawn: `none`, or a list with commas of `default`,
/// `all` and names, where `-NAME` takes one of those before it out again: `all,-cpu`.
[[nodiscard]] core::Result<std::vector<std::string>> perturb_option(const std::string& text);

}  // namespace isotick::program
