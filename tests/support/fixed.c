/* A ball that falls and bounces, in fixed-point numbers of 16.16, with a leak: a frame longer than
 * 20 ms adds one unit, 2^-16, to where it is. */
#include <isotick/core/visitor.h>

#include <stdlib.h>

#define ONE 65536

struct isotick_simulation {
    int32_t height;
    int32_t speed;
};

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    isotick_simulation* ball = calloc(1, sizeof *ball);
    (void)table;
    (void)setup;
    (void)message;
    if (ball == NULL) {
        return ISOTICK_FAILED;
    }
    ball->height = 100 * ONE;
    *out = ball;
    return ISOTICK_OK;
}

static void destroy(isotick_simulation* ball) {
    free(ball);
}

static int32_t begin_frame(isotick_simulation* ball, int64_t frame_time_ns,
                           isotick_message* message) {
    (void)message;
    ball->height += frame_time_ns > 20000000;
    return ISOTICK_OK;
}

static int32_t step(isotick_simulation* ball, const isotick_step* at, isotick_message* message) {
    (void)at;
    (void)message;
    ball->speed -= ONE / 6;
    ball->height += ball->speed / 60;
    if (ball->height < 0) {
        ball->height = -ball->height;
        ball->speed = -ball->speed;
    }
    return ISOTICK_OK;
}

static void visit(isotick_visitor* v, isotick_simulation* ball) {
    isotick_fixed32(v, "height", &ball->height, 16);
    isotick_fixed32(v, "speed", &ball->speed, 16);
}

static const isotick_info info = {
    .struct_size = sizeof(isotick_info),
    .rate_numerator = 60,
    .rate_denominator = 1,
    .capabilities = ISOTICK_MANY_INSTANCES | ISOTICK_CAN_SAVE | ISOTICK_HAS_FIELDS,
    .name = "fixed",
};

ISOTICK_VISITED(info, visit);

static const isotick_simulation_table table = {
    .struct_size = sizeof(isotick_simulation_table),
    .abi_version = ISOTICK_ABI_VERSION,
    .info = &info,
    .create = create,
    .destroy = destroy,
    .begin_frame = begin_frame,
    .step = step,
    .hash = isotick_visited_hash,
    .save = isotick_visited_save,
    .load = isotick_visited_load,
    .visit_fields = isotick_visited_fields,
};

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    return &table;
}
