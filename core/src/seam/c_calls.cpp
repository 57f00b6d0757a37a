#include <isotick/core/detail/seam/c_calls.hpp>

namespace isotick::core::c_api {

std::int32_t status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::usage:
            return ISOTICK_ERROR_USAGE;
        case ErrorCode::io:
            return ISOTICK_ERROR_IO;
        case ErrorCode::damaged:
            return ISOTICK_ERROR_DAMAGED;
        case ErrorCode::version:
            return ISOTICK_ERROR_VERSION;
        case ErrorCode::limit:
            return ISOTICK_ERROR_LIMIT;
        case ErrorCode::simulation:
            break;
    }
    return ISOTICK_ERROR_INTERNAL;
}

std::int32_t report(const Error& error, isotick_message* message) {
    detail::write_message(message, describe(error).c_str());
    return status_of(error.code);
}

}  // namespace isotick::core::c_api
