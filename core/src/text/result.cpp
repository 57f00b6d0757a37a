#include <isotick/core/detail/text/printable.hpp>
#include <isotick/core/result.hpp>

#include <utility>

namespace isotick::core {

std::string describe(const Error& error) {
    std::string text;
    if (!error.file.empty()) {
        text += printable(error.file) + ": ";
    }
    if (error.offset) {
        text += "at byte " + std::to_string(*error.offset) + ": ";
    }
    if (error.tick) {
        text += "tick " + std::to_string(*error.tick) + ": ";
    }
    return text + printable(error.message);
}

tl::unexpected<Error> fail(ErrorCode code, std::string message) {
    return tl::unexpected<Error>(Error{code, std::move(message), {}, {}, {}});
}

}  // namespace isotick::core
