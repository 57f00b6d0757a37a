// The axis `environment-bare`: of the environment only what the loader, sanitizers and the like go
// by, as under `env -i`, cron or a service. It is not drawn by default: programs that need HOME or
// DISPLAY fail, and say so.

#include "../axis.hpp"

#include <array>

namespace isotick::harness {
namespace {

constexpr std::string_view kYes = "yes";

core::Result<void> check_environment_bare(std::string_view value) {
    return value == kYes ? core::Result<void>()
                         : core::fail(core::ErrorCode::usage,
                                      "expected yes, not '" + std::string(value) + "'");
}

std::string draw_environment_bare(core::Pcg32&) {
    return std::string(kYes);
}

void environment_bare_to_process(std::string_view, ProcessSetup& process) {
    process.bare_environment = true;
}

constexpr std::array<std::string_view, 1> kEnvironmentBareBrings{"environment-size"};

}  // namespace

extern const Axis kEnvironmentBareAxis;
const Axis kEnvironmentBareAxis{.name = "environment-bare",
                                .varies = "an environment without all that is not needed to start",
                                .check = check_environment_bare,
                                .draw = draw_environment_bare,
                                .to_process = environment_bare_to_process,
                                .brings = kEnvironmentBareBrings};

}  // namespace isotick::harness
