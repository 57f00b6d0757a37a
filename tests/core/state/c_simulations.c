#include "c_simulations.h"

#include <stdio.h>
#include <string.h>

struct isotick_simulation {
    uint32_t counter;
};

static isotick_simulation the_only_one;

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    (void)table;
    (void)message;
    the_only_one.counter = (uint32_t)setup->seed;
    *out = &the_only_one;
    return ISOTICK_OK;
}
static void destroy(isotick_simulation* simulation) {
    (void)simulation;
}
static int32_t step(isotick_simulation* simulation, const isotick_step* at,
                    isotick_message* message) {
    (void)at;
    (void)message;
    ++simulation->counter;
    return ISOTICK_OK;
}
static int32_t hash(isotick_simulation* simulation, isotick_part* parts, uint32_t capacity,
                    uint32_t* count, isotick_message* message) {
    (void)capacity;
    (void)message;
    parts[0].name = "counter";
    parts[0].hash = simulation->counter;
    *count = 1;
    return ISOTICK_OK;
}
static int32_t save(isotick_simulation* simulation, const isotick_sink* sink,
                    isotick_message* message) {
    (void)message;
    return sink->write(sink->context, &simulation->counter, sizeof simulation->counter);
}
static int32_t load(isotick_simulation* simulation, const uint8_t* data, uint64_t size,
                    isotick_message* message) {
    if (size != sizeof simulation->counter) {
        strncpy(message->text, "four bytes are wanted", (size_t)message->capacity);
        return ISOTICK_FAILED;
    }
    memcpy(&simulation->counter, data, sizeof simulation->counter);
    return ISOTICK_OK;
}
/* The example of core/FIELDS.md. */
static int32_t visit_fields(isotick_simulation* simulation, const isotick_sink* sink,
                            isotick_message* message) {
    const uint32_t counter = simulation->counter;
    const uint8_t before[] = {1, 0x10, 0x01, 7, 'c', 'o', 'u', 'n', 't', 'e', 'r', 0x22};
    const uint8_t value[] = {(uint8_t)counter, (uint8_t)(counter >> 8), (uint8_t)(counter >> 16),
                             (uint8_t)(counter >> 24)};
    const uint8_t after[] = {0x11, 0x00};
    (void)message;
    if (sink->write(sink->context, before, sizeof before) != ISOTICK_OK ||
        sink->write(sink->context, value, sizeof value) != ISOTICK_OK ||
        sink->write(sink->context, after, sizeof after) != ISOTICK_OK) {
        return ISOTICK_FAILED;
    }
    return ISOTICK_OK;
}
static int32_t visit_memory(isotick_simulation* simulation, const isotick_memory_visitor* visitor,
                            isotick_message* message) {
    void* const context = visitor->context;
    uint32_t* const counter = &simulation->counter;
    (void)message;
    if (visitor->begin_object(context, "isotick_simulation", simulation, sizeof *simulation) !=
            ISOTICK_OK ||
        visitor->value(context, "counter", counter, sizeof *counter, 1) != ISOTICK_OK ||
        visitor->end_object(context) != ISOTICK_OK) {
        return ISOTICK_FAILED;
    }
    return ISOTICK_OK;
}

/* An input is one byte, shown as a number. */
static int32_t describe_input(const isotick_simulation_table* table, uint32_t player,
                              const uint8_t* data, uint64_t size, const isotick_sink* sink,
                              isotick_message* message) {
    char text[8];
    (void)table;
    (void)player;
    if (size != 1) {
        strncpy(message->text, "one byte is wanted", (size_t)message->capacity);
        return ISOTICK_FAILED;
    }
    return sink->write(sink->context, text, (uint64_t)sprintf(text, " %u\n", data[0]));
}
static int32_t compose_input(const isotick_simulation_table* table, uint32_t player,
                             const char* json, uint64_t size, const isotick_sink* sink,
                             isotick_message* message) {
    uint32_t value = 0;
    (void)table;
    (void)player;
    for (uint64_t i = 0; i < size; ++i) {
        if (json[i] < '0' || json[i] > '9' || value > 255) {
            strncpy(message->text, "a number up to 255 is wanted", (size_t)message->capacity);
            return ISOTICK_FAILED;
        }
        value = value * 10 + (uint32_t)(json[i] - '0');
    }
    const uint8_t byte = (uint8_t)value;
    return sink->write(sink->context, &byte, 1);
}

static const isotick_info plain_info = {.struct_size = sizeof(isotick_info),
                                        .rate_numerator = 60,
                                        .rate_denominator = 1,
                                        .name = "plain"};

static const isotick_simulation_table plain = {.struct_size = sizeof plain,
                                               .abi_version = ISOTICK_ABI_VERSION,
                                               .info = &plain_info,
                                               .create = create,
                                               .destroy = destroy,
                                               .step = step,
                                               .hash = hash};

const isotick_simulation_table* plain_c_simulation(void) {
    return &plain;
}

static const isotick_info info = {.struct_size = sizeof(isotick_info),
                                  .rate_numerator = 60,
                                  .rate_denominator = 1,
                                  .capabilities = ISOTICK_CAN_SAVE | ISOTICK_HAS_FIELDS |
                                                  ISOTICK_HAS_MEMORY | ISOTICK_DESCRIBES_INPUTS,
                                  .name = "counter"};

static const isotick_simulation_table table = {.struct_size = sizeof table,
                                               .abi_version = ISOTICK_ABI_VERSION,
                                               .info = &info,
                                               .create = create,
                                               .destroy = destroy,
                                               .step = step,
                                               .hash = hash,
                                               .save = save,
                                               .load = load,
                                               .visit_fields = visit_fields,
                                               .visit_memory = visit_memory,
                                               .describe_input = describe_input,
                                               .compose_input = compose_input};

const isotick_simulation_table* c_simulation(void) {
    return &table;
}
