#pragma once
// Files whose bytes are part of this program: there is no path to look for.

#include <cstddef>
#include <string_view>

/// Makes `name()`, a std::string_view of the file at `path`, which the compiler reads. Once in a
/// program for each name, outside of any namespace.
#define ISOTICK_EMBEDDED_FILE(name, path)                                           \
    __asm__(                                                                        \
        ".section .rodata\n"                                                        \
        ".global " #name "_bytes\n" #name                                           \
        "_bytes:\n"                                                                 \
        ".incbin \"" path                                                           \
        "\"\n"                                                                      \
        ".global " #name "_end\n" #name                                             \
        "_end:\n"                                                                   \
        ".byte 0\n"                                                                 \
        ".previous\n");                                                             \
    extern "C" const char name##_bytes[]; /* NOLINT(modernize-avoid-c-arrays) */    \
    extern "C" const char name##_end[];   /* NOLINT(modernize-avoid-c-arrays) */    \
    static std::string_view name() {                                                \
        return {name##_bytes, static_cast<std::size_t>(name##_end - name##_bytes)}; \
    }
