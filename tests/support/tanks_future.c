/* tanks.c as a plug-in may be that was compiled when the seam had more members than this one, and
 * more capabilities. What lies behind the end that is known today is not to be looked at: here it
 * ends the process. */
#define isotick_simulation_entry todays_entry
#define TANKS_BY_HAND
#include "tanks.c"
#undef isotick_simulation_entry

#define UNKNOWN_MEMBERS 8

static void is_not_to_be_called(void) {
    abort();
}

struct future_table {
    isotick_simulation_table known;
    void (*unknown[UNKNOWN_MEMBERS])(void);
};

struct future_info {
    isotick_info known;
    void (*unknown[UNKNOWN_MEMBERS])(void);
};

static struct future_table future_table;
static struct future_info future_info;

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    future_table.known = *todays_entry();
    future_info.known = *future_table.known.info;
    for (int i = 0; i < UNKNOWN_MEMBERS; ++i) {
        future_table.unknown[i] = is_not_to_be_called;
        future_info.unknown[i] = is_not_to_be_called;
    }
    future_table.known.struct_size = (uint32_t)sizeof future_table;
    future_table.known.info = &future_info.known;
    future_info.known.struct_size = (uint32_t)sizeof future_info;
    future_info.known.capabilities |= ~((UINT64_C(1) << 32) - 1);
    return &future_table.known;
}
