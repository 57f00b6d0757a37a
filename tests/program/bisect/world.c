/* A simulation of fourteen cells, each stepped by a translation unit of its own. */
#include "world.h"

#include <isotick/core/visitor.h>

#include <stdlib.h>

#define CELLS 14

#define EACH(what)                                                                           \
    what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) \
        what(11) what(12) what(13)

#define DECLARE(n) void unit##n##_step(struct cell* cell, uint64_t tick);
EACH(DECLARE)

struct isotick_simulation {
    struct cell cells[CELLS];
};

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    (void)table;
    (void)setup;
    (void)message;
    *out = calloc(1, sizeof **out);
    return *out == NULL ? ISOTICK_FAILED : ISOTICK_OK;
}

static void destroy(isotick_simulation* world) {
    free(world);
}

static int32_t step(isotick_simulation* world, const isotick_step* at, isotick_message* message) {
    (void)message;
#define STEP(n) unit##n##_step(&world->cells[n], at->tick);
    EACH(STEP)
    return ISOTICK_OK;
}

static void visit(isotick_visitor* v, isotick_simulation* world) {
    isotick_begin_list(v, "cells", CELLS, CELLS);
    for (int i = 0; i < CELLS; ++i) {
        isotick_begin_object(v, NULL);
        isotick_f32(v, "value", &world->cells[i].value);
        isotick_i32(v, "count", &world->cells[i].count);
        isotick_end(v);
    }
    isotick_end(v);
}

static const isotick_info info = {
    .struct_size = sizeof(isotick_info),
    .rate_numerator = 60,
    .rate_denominator = 1,
    .capabilities = ISOTICK_MANY_INSTANCES | ISOTICK_CAN_SAVE | ISOTICK_HAS_FIELDS,
    .name = "cells",
};

ISOTICK_VISITED(info, visit);

static const isotick_simulation_table table = {
    .struct_size = sizeof(isotick_simulation_table),
    .abi_version = ISOTICK_ABI_VERSION,
    .info = &info,
    .create = create,
    .destroy = destroy,
    .step = step,
    .hash = isotick_visited_hash,
    .save = isotick_visited_save,
    .load = isotick_visited_load,
    .visit_fields = isotick_visited_fields,
};

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    return &table;
}
