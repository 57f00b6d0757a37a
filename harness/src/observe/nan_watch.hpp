#pragma once
// Looks for NaNs in the state that a trial ends with.

#include "../platform/mapped_file.hpp"

#include <isotick/harness/trial.hpp>

#include <string>

namespace isotick::harness {

/// Has one trial write its last state, and looks through it. Where that cannot be done there is
/// nothing to say: what a NaN might mean is a hint, no verdict.
class NanWatch {
  public:
    [[nodiscard]] static core::Result<NanWatch> make();

    /// What to ask of the trial; holds as long as this object.
    [[nodiscard]] DumpRequest request() const { return {file_.path(), std::nullopt}; }

    /// The path of the first NaN in the state that the trial ended with; empty where there is none,
    /// or where the simulation does not show its fields.
    [[nodiscard]] std::string find(const TrialResult& result) const;

  private:
    explicit NanWatch(SharedFile file) : file_(std::move(file)) {}

    SharedFile file_;
};

}  // namespace isotick::harness
