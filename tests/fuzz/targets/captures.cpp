// Captures of frame times, in all formats: what was read is printed and read as the same.

#include "../support/fuzz_target.hpp"

#include <isotick/harness/capture.hpp>

#include <sstream>
#include <string>

namespace isotick::fuzz {
namespace {

core::Result<harness::ImportedCapture> import_text(const std::string& text) {
    std::istringstream stream(text);
    return harness::import_capture(stream, "a capture");
}

}  // namespace

void run(Input input) {
    const auto imported = import_text(std::string(text_of(input)));
    if (!imported) {
        const core::ErrorCode code = imported.error().code;
        require(code == core::ErrorCode::damaged || code == core::ErrorCode::limit,
                "a bad capture is damaged or beyond a limit");
        return;
    }
    require(!imported->summary.empty(), "what was recognized is said");
    require(core::CapturedFrames::own(imported->ends).has_value(), "its frames make a schedule");
    const auto again = import_text(harness::to_plain_text(imported->ends));
    require(again && again->ends == imported->ends, "frames that were printed read back the same");
}

}  // namespace isotick::fuzz
