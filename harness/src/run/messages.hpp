#pragma once
// What the processes of a run tell each other, as bytes. A struct is its members;
// message_fields.hpp says what is carried in another way.

#include <isotick/core/result.hpp>

#include <string>
#include <string_view>

namespace isotick::harness {

/// The message as bytes, which from_bytes of the same build reads. T must be one of those that
/// messages.cpp and audit/scene_answers.cpp instantiate.
template <class T>
[[nodiscard]] std::string to_bytes(const T& message);

/// The message that `bytes` hold, which may be any: a worker runs foreign code. Fails with
/// ErrorCode::damaged where to_bytes cannot have written them; never takes more memory than a
/// multiple of their size.
template <class T>
[[nodiscard]] core::Result<T> from_bytes(std::string_view bytes);

}  // namespace isotick::harness
