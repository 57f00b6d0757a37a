#pragma once
// What the functions of all C libraries share: errors as statuses, structs of any size.

#include <isotick/core/api.h>
#include <isotick/core/detail/settings.hpp>
#include <isotick/core/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

namespace isotick::core::c_api {

[[nodiscard]] std::int32_t status_of(ErrorCode code);

/// Writes the error into the message and returns its status.
std::int32_t report(const Error& error, isotick_message* message);

/// Runs `body`, which returns a Result<void>; what it throws becomes ISOTICK_ERROR_INTERNAL.
template <class Body>
std::int32_t guard(isotick_message* message, const Body& body) {
    try {
        const Result<void> done = body();
        return done ? ISOTICK_OK : report(done.error(), message);
    } catch (const std::exception& thrown) {
        detail::write_message(message, thrown.what());
    } catch (...) {
        detail::write_message(message, "an exception that is not a std::exception");
    }
    return ISOTICK_ERROR_INTERNAL;
}

/// As guard, for a body that has no error to report: what it throws gives `failed`.
template <class Value, class Body>
Value value_or(Value failed, const Body& body) {
    try {
        return body();
    } catch (...) {
        return failed;
    }
}

/// The struct as this library knows it: members beyond the caller's struct_size are zero, and a
/// null pointer stands for all zeros. Fails with `usage` where struct_size is not set.
template <class Struct>
[[nodiscard]] Result<Struct> read_struct(const Struct* given) {
    Struct known{};
    if (given == nullptr) {
        return known;
    }
    if (given->struct_size <= sizeof given->struct_size) {
        return fail(ErrorCode::usage, "the struct_size of an argument is not set");
    }
    std::memcpy(&known, given, std::min<std::size_t>(given->struct_size, sizeof known));
    return known;
}

/// Fills in as much of the caller's struct as the caller knows.
template <class Struct>
void write_struct(Struct known, Struct* out) {
    known.struct_size = out->struct_size;
    std::memcpy(out, &known, std::min<std::size_t>(known.struct_size, sizeof known));
}

}  // namespace isotick::core::c_api
