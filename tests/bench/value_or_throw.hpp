#pragma once
// Ends a benchmark where something cannot be set up.

#include <isotick/core/result.hpp>

#include <stdexcept>
#include <type_traits>
#include <utility>

namespace isotick::bench {

/// Throws std::runtime_error with what went wrong.
template <class T>
T value_or_throw(core::Result<T> result) {
    if (!result) {
        throw std::runtime_error(describe(result.error()));
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

}  // namespace isotick::bench
