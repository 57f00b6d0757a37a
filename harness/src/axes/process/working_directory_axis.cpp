// The axis `working-directory`: `/`, where services and launchers start programs. It is not drawn
// by default: a simulation that opens its own files by relative paths then fails, and says so.

#include "../axis.hpp"
#include "../call_setup.hpp"

namespace isotick::harness {
namespace {

constexpr std::string_view kRoot = "/";

core::Result<void> check_value(std::string_view value) {
    return value == kRoot
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage, "expected /, not '" + std::string(value) + "'");
}

std::string draw(core::Pcg32&) {
    return std::string(kRoot);
}

void to_calls(std::string_view value, CallSetup& calls) {
    calls.working_directory = value;
}

}  // namespace

extern const Axis kWorkingDirectoryAxis;
const Axis kWorkingDirectoryAxis{.name = "working-directory",
                                 .varies = "the working directory of the simulation",
                                 .check = check_value,
                                 .draw = draw,
                                 .not_with = kCalledFromAfar,
                                 .to_calls = to_calls};

}  // namespace isotick::harness
