#pragma once
// How isotick reports failure: a value or an Error that says what a user can do about it.
// No exception leaves a public function of isotick.

#include <cstdint>
#include <optional>
#include <string>

// The first declaration decides whether the compiler warns about each Result that is ignored.
#if !defined(TL_EXPECTED_HPP)
namespace tl {
template <class T, class E>
class [[nodiscard]] expected;
}
#endif

#include <tl/expected.hpp>

namespace isotick::core {

/// What kind of failure an Error is; the program maps each to an exit code.
enum class ErrorCode {
    usage,       ///< the caller asked for something that makes no sense, or two things do not match
    io,          ///< the operating system refused or failed (open, read, write, close, full disk)
    damaged,     ///< a file's bytes are not what they must be
    version,     ///< written by a newer isotick than this one can read
    limit,       ///< a stated limit would be exceeded
    simulation,  ///< the simulation reported a failure, threw, or broke the rules of the seam
};

/// A failure, in words a user can act on, and where it happened as far as that is known.
struct Error {
    ErrorCode code = ErrorCode::usage;
    std::string message;                  ///< one sentence, no trailing full stop
    std::string file;                     ///< path as the caller gave it; empty: no file involved
    std::optional<std::uint64_t> offset;  ///< byte offset in `file`
    std::optional<std::uint64_t> tick;    ///< tick of the simulation or recording
};

/// `file: at byte 40: tick 17: message`, leaving out what is not known; printable, in one line.
[[nodiscard]] std::string describe(const Error& error);

/// A value of type T, or the Error that kept it from being made. Always tl::expected throughout
/// version 1, whatever the consumer's language standard, so that mixed builds link.
template <class T>
using Result = tl::expected<T, Error>;

/// The error side of a Result: `return fail(ErrorCode::usage, "…");`
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, std::string message);

}  // namespace isotick::core
