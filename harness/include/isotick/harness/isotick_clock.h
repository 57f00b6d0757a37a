#ifndef ISOTICK_HARNESS_ISOTICK_CLOCK_H
#define ISOTICK_HARNESS_ISOTICK_CLOCK_H
/*
 * The time that this process sees, for tests that drive a network library in it: one that asks the
 * system's clock then lives in the virtual time of a simulated network. Link isotick::clock
 * (Linux).
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From now on every clock of the C and C++ libraries shows `ns`, such as isotick_network_now, and
 * sleeps return at once. Negative, as at the start: the system's clocks. Not thread-safe. */
void isotick_clock_show(int64_t ns);

#ifdef __cplusplus
}
#endif
#endif
