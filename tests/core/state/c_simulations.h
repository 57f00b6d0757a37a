/* Simulations in plain C: one as plug-ins were before save, load and visit_fields existed, one that
 * has them. The state is one counter. */
#pragma once

#include <isotick/core/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Its memory ends where the table of version 1 ended. */
const isotick_simulation_table* old_c_simulation(void);
const isotick_simulation_table* c_simulation(void);

#ifdef __cplusplus
}
#endif
