// Networks: what is printed reads back as the same.

#include "../support/fuzz_target.hpp"

#include <isotick/harness/network.hpp>

#include <string>

namespace isotick::fuzz {
namespace {

using core::ErrorCode;
using harness::LinkTrace;
using harness::NetworkSpec;

// Any name is a trace but `none`.
core::Result<std::shared_ptr<const LinkTrace>> resolve(const std::string& path) {
    if (path == "none") {
        return core::fail(ErrorCode::io, "there is no such file");
    }
    return LinkTrace::parse("1\n2\n");
}

}  // namespace

void run(Input input) {
    const auto parsed = NetworkSpec::parse(text_of(input), resolve);
    if (!parsed) {
        const ErrorCode code = parsed.error().code;
        require(code == ErrorCode::usage || code == ErrorCode::io, "a bad network is bad usage");
        return;
    }
    const std::string printed = parsed->to_string();
    const auto again = NetworkSpec::parse(printed, resolve);
    require(again.has_value(), "a printed network can be read");
    require(*again == *parsed, "a printed network reads back as the same");
    require(again->to_string() == printed, "a network is printed in one way");
}

}  // namespace isotick::fuzz
