/* tanks.c as plug-ins were compiled when the seam had fewer members, and as one may be that knows
 * more of them. TANKS_ENDS_BEFORE names the first member that its author did not know yet; without
 * it, it comes from the future. What lies behind the end of a table is not to be looked at: here it
 * ends the process. */
#define isotick_simulation_entry todays_entry
#define TANKS_BY_HAND
#include "tanks.c"
#undef isotick_simulation_entry

#include <stddef.h>

#define UNKNOWN_MEMBERS 8

static void is_not_to_be_called(void) {
    abort();
}

struct other_table {
    isotick_simulation_table known;
    void (*unknown[UNKNOWN_MEMBERS])(void);
};

struct other_info {
    isotick_info known;
    void (*unknown[UNKNOWN_MEMBERS])(void);
};

static struct other_table other_table;
static struct other_info other_info;

/* Replaces everything from `size` on by what must not be called. */
static void end_at(void* what, size_t whole, size_t size) {
    void (*const trap)(void) = is_not_to_be_called;
    for (size_t at = size; at + sizeof trap <= whole; at += sizeof trap) {
        memcpy((char*)what + at, &trap, sizeof trap);
    }
}

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
#ifdef TANKS_ENDS_BEFORE
    const size_t table_size = offsetof(isotick_simulation_table, TANKS_ENDS_BEFORE);
    const size_t info_size = offsetof(isotick_info, nan_policy);
#else
    const size_t table_size = sizeof other_table;
    const size_t info_size = sizeof other_info;
#endif
    const size_t known_table =
        table_size < sizeof other_table.known ? table_size : sizeof other_table.known;
    const size_t known_info =
        info_size < sizeof other_info.known ? info_size : sizeof other_info.known;
    other_table.known = *todays_entry();
    other_info.known = *other_table.known.info;
    end_at(&other_table, sizeof other_table, known_table);
    end_at(&other_info, sizeof other_info, known_info);
    other_table.known.struct_size = (uint32_t)table_size;
    other_table.known.info = &other_info.known;
    other_info.known.struct_size = (uint32_t)info_size;
#ifndef TANKS_ENDS_BEFORE
    other_info.known.capabilities |= ~((UINT64_C(1) << 32) - 1);
#else
    if (table_size <= offsetof(isotick_simulation_table, save)) {
        other_info.known.capabilities = ISOTICK_MANY_INSTANCES;
    }
#endif
    return &other_table.known;
}
