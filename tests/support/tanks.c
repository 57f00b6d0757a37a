/* A plug-in in plain C: four tanks of water in a row, filled by players and by chance. Knows
 * nothing of isotick but two headers. With TANKS_BY_HAND it does without visitor.h, as tanks.rs
 * does in Rust.
 *
 *   leak=0..100   config: what the last tank loses in a tick; default 3
 *   fault=build   environment: one more in levels[2] at tick `at`; default 20
 *   fault=render  environment: from tick `at` on, rendering draws from the simulation's generator
 */
#include <isotick/core/plugin.h>

#include <stdlib.h>
#include <string.h>

#define TANKS 4

struct isotick_simulation {
    int64_t levels[TANKS];
    uint64_t random;
    uint64_t inputs;
    /* Not state: how it is set up. */
    int64_t leak;
    uint64_t fault_at;
    uint64_t tick;
    int faulty_build;
    int faulty_render;
};

static int32_t fail(isotick_message* message, int32_t status, const char* why) {
    strncpy(message->text, why, (size_t)message->capacity - 1);
    message->text[message->capacity - 1] = '\0';
    return status;
}

/* -1 for what is no number up to `most`, which is far from the largest there is. */
static int64_t number(const char* text, int64_t most) {
    int64_t value = 0;
    if (*text == '\0') {
        return -1;
    }
    for (; *text != '\0'; ++text) {
        if (*text < '0' || *text > '9') {
            return -1;
        }
        value = value * 10 + (*text - '0');
        if (value > most) {
            return -1;
        }
    }
    return value;
}

static int32_t take_settings(isotick_simulation* tanks, const isotick_setup* setup,
                             isotick_message* message) {
    for (uint32_t i = 0; i < setup->config_count; ++i) {
        if (strcmp(setup->config[i].key, "leak") != 0) {
            return fail(message, ISOTICK_BAD_SETTINGS, "there is no setting but leak");
        }
        tanks->leak = number(setup->config[i].value, 100);
    }
    for (uint32_t i = 0; i < setup->environment_count; ++i) {
        const isotick_setting setting = setup->environment[i];
        if (strcmp(setting.key, "fault") == 0) {
            tanks->faulty_build = strcmp(setting.value, "build") == 0;
            tanks->faulty_render = strcmp(setting.value, "render") == 0;
        } else if (strcmp(setting.key, "at") == 0) {
            tanks->fault_at = (uint64_t)number(setting.value, 1000000);
        }
    }
    return tanks->leak < 0
               ? fail(message, ISOTICK_BAD_SETTINGS, "leak is not a whole number from 0 to 100")
               : ISOTICK_OK;
}

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    (void)table;
    isotick_simulation* tanks = calloc(1, sizeof *tanks);
    int32_t status;
    if (tanks == NULL) {
        return fail(message, ISOTICK_FAILED, "no memory is left");
    }
    for (int i = 0; i < TANKS; ++i) {
        tanks->levels[i] = 1000 * (i + 1);
    }
    tanks->random = setup->seed;
    tanks->leak = 3;
    tanks->fault_at = 20;
    status = take_settings(tanks, setup, message);
    if (status != ISOTICK_OK) {
        free(tanks);
        return status;
    }
    *out = tanks;
    return ISOTICK_OK;
}

static void destroy(isotick_simulation* tanks) {
    free(tanks);
}

/* Knuth's MMIX generator. */
static uint64_t draw(isotick_simulation* tanks) {
    tanks->random = tanks->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return tanks->random;
}

static int32_t step(isotick_simulation* tanks, const isotick_step* at, isotick_message* message) {
    uint64_t drop;
    (void)message;
    tanks->tick = at->tick;
    for (uint32_t i = 0; i < at->input_count; ++i) {
        const isotick_input* input = &at->inputs[i];
        tanks->inputs += input->present ? 1 + input->size : 0;
        for (uint64_t byte = 0; byte < input->size; ++byte) {
            tanks->levels[i % TANKS] += input->data[byte];
        }
    }
    isotick_checkpoint(at, "inputs");
    drop = draw(tanks);
    tanks->levels[drop >> 62] += (int64_t)((drop >> 32) & 15);
    for (int i = 0; i + 1 < TANKS; ++i) {
        const int64_t flow = (tanks->levels[i] - tanks->levels[i + 1]) / 4;
        tanks->levels[i] -= flow;
        tanks->levels[i + 1] += flow;
    }
    isotick_checkpoint(at, "flow");
    tanks->levels[TANKS - 1] -= tanks->leak;
    tanks->levels[2] += tanks->faulty_build && at->tick == tanks->fault_at;
    isotick_checkpoint(at, "leak");
    return ISOTICK_OK;
}

static int32_t render(isotick_simulation* tanks, double alpha, isotick_message* message) {
    (void)alpha;
    (void)message;
    if (tanks->faulty_render && tanks->tick >= tanks->fault_at) {
        draw(tanks);
    }
    return ISOTICK_OK;
}

/* Up to three bytes, two times out of three. */
static int32_t propose_input(isotick_simulation* tanks, isotick_proposal* proposal,
                             isotick_message* message) {
    (void)tanks;
    (void)message;
    proposal->present = proposal->entropy % 3 != 0;
    proposal->size = proposal->present ? (proposal->entropy >> 8) % 4 : 0;
    for (uint64_t i = 0; i < proposal->size; ++i) {
        proposal->data[i] = (uint8_t)(proposal->entropy >> (16 + 8 * i));
    }
    return ISOTICK_OK;
}

#ifdef TANKS_BY_HAND
#include "tanks_by_hand.h"
#else
#include <isotick/core/visitor.h>

/* All that the future depends on: what is hashed, saved, and shown where it differs. */
static void visit(isotick_visitor* v, isotick_simulation* tanks) {
    isotick_i64_array(v, "levels", tanks->levels, TANKS);
    isotick_u64(v, "random", &tanks->random);
    isotick_u64(v, "inputs", &tanks->inputs);
}

static const isotick_info info = {
    .struct_size = sizeof(isotick_info),
    .rate_numerator = 60,
    .rate_denominator = 1,
    .most_players = 4,
    .usual_players = 2,
    .capabilities =
        ISOTICK_MANY_INSTANCES | ISOTICK_CAN_SAVE | ISOTICK_HAS_FIELDS | ISOTICK_HAS_MEMORY,
    .name = "tanks",
    .summary = "four tanks of water in a row",
    .config_help = "leak=0..100",
};

ISOTICK_VISITED(info, visit);

static const isotick_simulation_table table = {
    .struct_size = sizeof(isotick_simulation_table),
    .abi_version = ISOTICK_ABI_VERSION,
    .info = &info,
    .create = create,
    .destroy = destroy,
    .step = step,
    .render = render,
    .hash = isotick_visited_hash,
    .propose_input = propose_input,
    .save = isotick_visited_save,
    .load = isotick_visited_load,
    .visit_fields = isotick_visited_fields,
    .visit_memory = isotick_visited_memory,
};

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    return &table;
}
#endif
