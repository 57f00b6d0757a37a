#ifndef ISOTICK_CORE_API_H
#define ISOTICK_CORE_API_H
/*
 * What the C libraries of isotick have in common: how their functions are exported, and what those
 * return that fail. Pure C99.
 */
#include <isotick/core/plugin.h>

#if defined(_WIN32) && defined(ISOTICK_BUILDS_SHARED)
#define ISOTICK_API __declspec(dllexport)
#elif defined(_WIN32) && defined(ISOTICK_USES_SHARED)
#define ISOTICK_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ISOTICK_API __attribute__((visibility("default")))
#else
#define ISOTICK_API
#endif

/* What calls return that fail; those that do not return ISOTICK_OK. */
#define ISOTICK_ERROR_USAGE 10    /* the arguments, or what was called before, make no sense */
#define ISOTICK_ERROR_IO 11       /* the operating system refused or failed */
#define ISOTICK_ERROR_DAMAGED 12  /* a file's bytes are not what they must be */
#define ISOTICK_ERROR_VERSION 13  /* written by a newer isotick */
#define ISOTICK_ERROR_LIMIT 14    /* a stated limit would be exceeded; the disk is too slow */
#define ISOTICK_ERROR_INTERNAL 15 /* no memory, or a mistake of isotick's */

#endif
