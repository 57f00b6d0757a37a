/* Simulations in plain C: one that has only what each must have, one that has all. The state is one
 * counter. */
#pragma once

#include <isotick/core/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

const isotick_simulation_table* plain_c_simulation(void);
const isotick_simulation_table* c_simulation(void);

#ifdef __cplusplus
}
#endif
