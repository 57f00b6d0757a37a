/* A game of which every revision of a generated history is a variant: rules.h, which is in that
 * history, says from which tick on it does what it should not, and what else its state holds. */
#include <isotick/core/visitor.h>

#include <rules.h>
#include <stdlib.h>
#include <time.h>

#define NEVER UINT64_MAX
#ifndef HURTS_FROM /* units[1].health loses one */
#define HURTS_FROM NEVER
#endif
#ifndef PUSHES_FROM /* units[2].x gains one */
#define PUSHES_FROM NEVER
#endif
#ifndef SCORES_FROM /* score gains one */
#define SCORES_FROM NEVER
#endif
#ifndef FLAKY_FROM /* units[0].x becomes what no run repeats */
#define FLAKY_FROM NEVER
#endif
#ifndef CRASHES_FROM
#define CRASHES_FROM NEVER
#endif

#define UNITS 3

struct unit {
    int32_t x;
    int32_t health;
};

struct isotick_simulation {
    struct unit units[UNITS];
    int32_t score;
    int32_t weather;
};

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    isotick_simulation* game = calloc(1, sizeof *game);
    (void)table;
    (void)setup;
    (void)message;
    if (game == NULL) {
        return ISOTICK_FAILED;
    }
    for (int i = 0; i < UNITS; ++i) {
        game->units[i] = (struct unit){10 * i, 100};
    }
    *out = game;
    return ISOTICK_OK;
}

static void destroy(isotick_simulation* game) {
    free(game);
}

static int32_t unrepeatable(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int32_t)(now.tv_nsec ^ now.tv_sec);
}

static int32_t step(isotick_simulation* game, const isotick_step* at, isotick_message* message) {
    const uint64_t tick = at->tick;
    (void)message;
    for (int i = 0; i < UNITS; ++i) {
        game->units[i].x += i + 1;
    }
    for (uint32_t i = 0; i < at->input_count; ++i) {
        if (at->inputs[i].present && at->inputs[i].size > 0) {
            game->score = game->score * 31 + *(const uint8_t*)at->inputs[i].data;
        }
    }
    game->units[1].health -= tick >= HURTS_FROM;
    game->units[2].x += tick >= PUSHES_FROM;
    game->score += tick >= SCORES_FROM;
    game->weather = (int32_t)(tick / 10);
    if (tick >= FLAKY_FROM) {
        game->units[0].x = unrepeatable();
    }
    if (tick >= CRASHES_FROM) {
        abort();
    }
    return ISOTICK_OK;
}

static void visit(isotick_visitor* v, isotick_simulation* game) {
#ifdef HAS_WEATHER
    isotick_i32(v, "weather", &game->weather);
#endif
    isotick_begin_list(v, "units", UNITS, UNITS);
    for (int i = 0; i < UNITS; ++i) {
        isotick_begin_object(v, NULL);
#ifdef HAS_MOODS
        isotick_i32(v, "mood", &game->weather);
#endif
        isotick_i32(v, "x", &game->units[i].x);
        isotick_i32(v, "health", &game->units[i].health);
        isotick_end(v);
    }
    isotick_end(v);
    isotick_i32(v, "score", &game->score);
}

/* Where all that is, so that whoever writes to it can be named. */
static int32_t visit_memory(isotick_simulation* game, const isotick_memory_visitor* to,
                            isotick_message* message) {
    int32_t status = to->begin_object(to->context, "game", game, sizeof *game);
    (void)message;
#if defined HAS_WEATHER || defined HAS_MOODS
    if (status == ISOTICK_OK) {
        status = to->value(to->context, "weather", &game->weather, sizeof game->weather, 1);
    }
#endif
    for (int i = 0; i < UNITS && status == ISOTICK_OK; ++i) {
        struct unit* unit = &game->units[i];
        status = to->value(to->context, "units[*].x", &unit->x, sizeof unit->x, 1);
        if (status == ISOTICK_OK) {
            status =
                to->value(to->context, "units[*].health", &unit->health, sizeof unit->health, 1);
        }
    }
    if (status == ISOTICK_OK) {
        status = to->value(to->context, "score", &game->score, sizeof game->score, 1);
    }
    return status == ISOTICK_OK ? to->end_object(to->context) : status;
}

static const isotick_info info = {
    .struct_size = sizeof(isotick_info),
    .rate_numerator = 60,
    .rate_denominator = 1,
    .most_players = 2,
    .usual_players = 2,
    .capabilities =
        ISOTICK_MANY_INSTANCES | ISOTICK_CAN_SAVE | ISOTICK_HAS_FIELDS | ISOTICK_HAS_MEMORY,
#ifdef RENAMED
    .name = "small",
#else
    .name = "tiny",
#endif
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
    .visit_memory = visit_memory,
};

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    return &table;
}
