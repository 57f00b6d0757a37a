#pragma once
// What keeps exceptions inside the library: memory that runs out, above all.

#include <isotick/core/result.hpp>

#include <exception>
#include <new>

namespace isotick::replay {

/// The exception being handled as an Error. A lack of memory is the machine's: `io`, in words that
/// need none.
[[nodiscard]] inline core::Error thrown_error() noexcept {
    const auto error = [](const char* why) {
        return core::Error{core::ErrorCode::limit, why, {}, {}, {}};
    };
    try {
        throw;
    } catch (const std::bad_alloc&) {
    } catch (const std::exception& thrown) {
        try {
            return error(thrown.what());
        } catch (...) {  // memory has run out now
        }
    } catch (...) {
        return error("unknown failure");
    }
    return {core::ErrorCode::io, "out of memory", {}, {}, {}};
}

/// Runs `call`, which returns a Result; what it throws becomes the Error.
template <class Call>
[[nodiscard]] auto guarded(const Call& call) -> decltype(call()) {
    try {
        return call();
    } catch (...) {
        return tl::unexpected(thrown_error());
    }
}

}  // namespace isotick::replay
