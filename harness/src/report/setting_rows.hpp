#pragma once
// Settings that were varied, in words.

#include <isotick/core/settings.hpp>
#include <isotick/harness/detail/varied_setting.hpp>
#include <isotick/harness/trial.hpp>
#include <isotick/replay/detail/recording_head.hpp>

#include <string>
#include <vector>

namespace isotick::harness {

/// A row named `name` for each key: `workers=2,4,8 instead of the recorded 1`.
[[nodiscard]] std::string varied_rows(const char* name, const std::vector<VariedSetting>& settings,
                                      const replay::RecordingHead& head,
                                      const core::Settings& environment);

/// What is known about the settings of a trial that diverged; empty where it has none.
[[nodiscard]] std::string setting_cause(const TrialPlan& plan, bool setting_provoked);

}  // namespace isotick::harness
