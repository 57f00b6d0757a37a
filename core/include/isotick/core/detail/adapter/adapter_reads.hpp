#pragma once
// How a simulation in C++ tells its host which settings it looks up; for adapter.hpp.

#include <isotick/core/detail/adapter/simulation_table.hpp>
#include <isotick/core/plugin.h>

#include <memory>

namespace isotick::core::detail {

/// Tells the host which settings are looked up, until it is destroyed.
class ReportedReads {
  public:
    explicit ReportedReads(const isotick_setup& setup);
    ~ReportedReads();
    ReportedReads(const ReportedReads&) = delete;
    ReportedReads& operator=(const ReportedReads&) = delete;

    /// `setup` in C++ terms, with settings that report, as their copies do.
    [[nodiscard]] SimulationSetup take(const isotick_setup& setup) const;

  private:
    class Reporter;

    std::shared_ptr<Reporter> config_;
    std::shared_ptr<Reporter> environment_;
};

}  // namespace isotick::core::detail
