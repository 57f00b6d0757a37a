// The axis `working-directory`: `/`, where services and launchers start programs. It is not drawn
// by default: a simulation that opens its own files by relative paths then fails, and says so.

#include "../../run/host/other_folder.hpp"
#include "../axis.hpp"
#include "../call_setup.hpp"

namespace isotick::harness {
namespace {

constexpr std::string_view kRoot = "/";

core::Result<void> check_working_directory(std::string_view value) {
    return value == kRoot
               ? core::Result<void>()
               : core::fail(core::ErrorCode::usage, "expected /, not '" + std::string(value) + "'");
}

std::string draw_working_directory(core::Pcg32&) {
    return std::string(kRoot);
}

std::string why_no_working_directory(std::string_view value) {
    const auto folder = OtherFolder::make(std::string(value));
    return folder ? "" : folder.error().message;
}

void working_directory_to_calls(std::string_view value, CallSetup& calls) {
    calls.working_directory = value;
}

}  // namespace

extern const Axis kWorkingDirectoryAxis;
const Axis kWorkingDirectoryAxis{.name = "working-directory",
                                 .varies = "the working directory of the simulation",
                                 .check = check_working_directory,
                                 .draw = draw_working_directory,
                                 .not_with = kCalledFromAfar,
                                 .why_not_here = why_no_working_directory,
                                 .to_calls = working_directory_to_calls};

}  // namespace isotick::harness
