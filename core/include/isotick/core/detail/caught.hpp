#pragma once
// An exception that isotick's own code threw, as an Error.

#include <isotick/core/result.hpp>

#include <exception>
#include <new>
#include <string>

namespace isotick::core {

/// A lack of memory is the machine's: `io`, in words that need none. Anything else is `otherwise`,
/// with its text behind `before`.
[[nodiscard]] inline Error caught(const std::exception& thrown, ErrorCode otherwise,
                                  const char* before = "") {
    if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) {
        return {ErrorCode::io, "out of memory", {}, {}, {}};
    }
    return {otherwise, std::string(before) + thrown.what(), {}, {}, {}};
}

}  // namespace isotick::core
