#pragma once
// Early returns of Result, as one line each: what a function cannot go on without, it tries.
// Macros, as only they can return from where they stand; the names are unique by line, so that
// inline functions are the same in every file. Neither fits inside an argument of the other.

#include <isotick/core/result.hpp>

#include <utility>

/// Returns the error of `expression`, a Result of any value, from the function around it, which
/// returns a Result of the same or any other value. Else goes on; a value is dropped.
///
///     ISOTICK_TRY(file.write(bytes));
#define ISOTICK_TRY(...) ISOTICK_TRY_NAMED(ISOTICK_TRY_NAME(__LINE__), __VA_ARGS__)

/// Returns the error of `expression` as ISOTICK_TRY does. Else moves its value into `target`: a
/// declaration, which lasts as long as one written without the macro, or something to assign to.
/// The expression is evaluated once, before the target. Two statements, so not for an `if` without
/// braces, nor twice in one line.
///
///     ISOTICK_TRY_ASSIGN(const auto size, file.size());
///     ISOTICK_TRY_ASSIGN(head_, read_head(file));
#define ISOTICK_TRY_ASSIGN(target, ...) \
    ISOTICK_TRY_ASSIGN_NAMED(ISOTICK_TRY_NAME(__LINE__), target, __VA_ARGS__)

// The rest is for the two above alone.
#define ISOTICK_TRY_NAMED(name, ...)                          \
    do {                                                      \
        if (auto name = __VA_ARGS__; !name) {                 \
            return ::tl::unexpected(std::move(name).error()); \
        }                                                     \
    } while (false)

#define ISOTICK_TRY_ASSIGN_NAMED(name, target, ...)       \
    auto name = __VA_ARGS__;                              \
    if (!name) {                                          \
        return ::tl::unexpected(std::move(name).error()); \
    }                                                     \
    target = *std::move(name) /* NOLINT(bugprone-macro-parentheses): may be a declaration */

#define ISOTICK_TRY_NAME(line) ISOTICK_TRY_NAME_OF(line)
#define ISOTICK_TRY_NAME_OF(line) isotick_tried_in_line_##line
