/* Plug-ins that must be refused, one per ISOTICK_BAD_… chosen by the build. */

#include <isotick/core/plugin.h>

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    (void)table;
    (void)setup;
    (void)out;
    (void)message;
    return ISOTICK_FAILED;
}
static void destroy(isotick_simulation* simulation) {
    (void)simulation;
}
static int32_t step(isotick_simulation* simulation, const isotick_step* at,
                    isotick_message* message) {
    (void)simulation;
    (void)at;
    (void)message;
    return ISOTICK_OK;
}

static const isotick_info info = {.struct_size = sizeof(isotick_info),
                                  .rate_numerator = 60,
                                  .rate_denominator = 1,
                                  .name = "bad"};

static const isotick_simulation_table table = {.struct_size = sizeof(isotick_simulation_table),
#if defined(ISOTICK_BAD_NEWER)
                                               .abi_version = ISOTICK_ABI_VERSION + 1,
#else
                                               .abi_version = ISOTICK_ABI_VERSION,
#endif
                                               .info = &info,
                                               .create = create,
                                               .destroy = destroy,
                                               .step = step /* and no hash */};

#if defined(ISOTICK_BAD_SYMBOL)
ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* another_entry(void) {
    return &table;
}
#else
ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
#if defined(ISOTICK_BAD_NULL)
    return 0;
#else
    return &table;
#endif
}
#endif
