#pragma once
// Calls across the seam: a bad status and an exception both become an Error.

#include <isotick/core/plugin.h>
#include <isotick/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace isotick::core {

// The room that a call has for its reason, with the NUL.
inline constexpr std::size_t kMessageCapacity = 1024;

// The Error for a call that broke the rules or said that it failed.
inline tl::unexpected<Error> seam_failed(const char* call, const std::string& reason) {
    return fail(ErrorCode::simulation, std::string(call) + " " + reason);
}

// Runs one call across the seam; a bad status and an exception both become an Error. `text`, of
// kMessageCapacity, is where the call's message goes.
template <class Call>
Result<void> seam_call(const char* name, std::vector<char>& text, const Call& call) {
    isotick_message message{text.data(), text.size()};
    text.front() = '\0';
    std::int32_t status = ISOTICK_OK;
    try {
        status = call(&message);
    } catch (const std::exception& thrown) {
        return seam_failed(name, std::string("threw: ") + thrown.what());
    } catch (...) {
        return seam_failed(name, "threw something that is not a std::exception");
    }
    if (status == ISOTICK_OK) {
        return {};
    }
    text.back() = '\0';
    const std::string reason = text.data();
    if (status == ISOTICK_BAD_SETTINGS) {
        return fail(ErrorCode::usage,
                    reason.empty() ? "settings refused without a reason" : reason);
    }
    return seam_failed(name, reason.empty() ? "failed with status " + std::to_string(status)
                                            : "failed: " + reason);
}

}  // namespace isotick::core
