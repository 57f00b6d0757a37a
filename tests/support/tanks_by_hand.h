#ifndef ISOTICK_TESTS_SUPPORT_TANKS_BY_HAND_H
#define ISOTICK_TESTS_SUPPORT_TANKS_BY_HAND_H
/* The end of tanks.c without visitor.h: hashes (FNV-1a), snapshots and fields (core/FIELDS.md) of
 * its own, as tanks.rs has them; TANKS_WITHOUT_SNAPSHOTS leaves it the hashes. */
#define STATE_SIZE ((TANKS + 2) * 8)

static void put(uint8_t* out, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

/* All that the future depends on, little-endian. */
static void put_state(const isotick_simulation* tanks, uint8_t* out) {
    for (int i = 0; i < TANKS; ++i) {
        put(out + 8 * i, (uint64_t)tanks->levels[i]);
    }
    put(out + 8 * TANKS, tanks->random);
    put(out + 8 * (TANKS + 1), tanks->inputs);
}

/* FNV-1a, 64 bits. */
static uint64_t fnv1a(const uint8_t* data, size_t size) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static int32_t hash(isotick_simulation* tanks, isotick_part* parts, uint32_t capacity,
                    uint32_t* count, isotick_message* message) {
    uint8_t state[STATE_SIZE];
    if (capacity < 3) {
        return fail(message, ISOTICK_FAILED, "there is no room for three parts");
    }
    put_state(tanks, state);
    parts[0].name = "levels";
    parts[0].hash = fnv1a(state, 8 * TANKS);
    parts[1].name = "random";
    parts[1].hash = fnv1a(state + 8 * TANKS, 8);
    parts[2].name = "inputs";
    parts[2].hash = fnv1a(state + 8 * (TANKS + 1), 8);
    *count = 3;
    return ISOTICK_OK;
}

#ifndef TANKS_WITHOUT_SNAPSHOTS
static int32_t save(isotick_simulation* tanks, const isotick_sink* sink, isotick_message* message) {
    uint8_t state[STATE_SIZE];
    (void)message;
    put_state(tanks, state);
    return sink->write(sink->context, state, sizeof state);
}

static uint64_t get(const uint8_t* in) {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
        value |= (uint64_t)in[i] << (8 * i);
    }
    return value;
}

static int32_t load(isotick_simulation* tanks, const uint8_t* data, uint64_t size,
                    isotick_message* message) {
    if (size != STATE_SIZE) {
        return fail(message, ISOTICK_FAILED, "a snapshot has 48 bytes");
    }
    for (int i = 0; i < TANKS; ++i) {
        tanks->levels[i] = (int64_t)get(data + 8 * i);
    }
    tanks->random = get(data + 8 * TANKS);
    tanks->inputs = get(data + 8 * (TANKS + 1));
    return ISOTICK_OK;
}

/* An object of an array of i64 and two u64. */
static int32_t visit_fields(isotick_simulation* tanks, const isotick_sink* sink,
                            isotick_message* message) {
    static const uint8_t kLevels[] = {0x01, 0x10, 0x01, 6,    'l',  'e',  'v',
                                      'e',  'l',  's',  0x1c, 0x27, TANKS};
    static const uint8_t kRandom[] = {0x01, 6, 'r', 'a', 'n', 'd', 'o', 'm', 0x23};
    static const uint8_t kInputs[] = {0x01, 6, 'i', 'n', 'p', 'u', 't', 's', 0x23};
    static const uint8_t kEnd[] = {0x11, 0x00};
    uint8_t state[STATE_SIZE];
    (void)message;
    put_state(tanks, state);
    if (sink->write(sink->context, kLevels, sizeof kLevels) != ISOTICK_OK ||
        sink->write(sink->context, state, 8 * TANKS) != ISOTICK_OK ||
        sink->write(sink->context, kRandom, sizeof kRandom) != ISOTICK_OK ||
        sink->write(sink->context, state + 8 * TANKS, 8) != ISOTICK_OK ||
        sink->write(sink->context, kInputs, sizeof kInputs) != ISOTICK_OK ||
        sink->write(sink->context, state + 8 * (TANKS + 1), 8) != ISOTICK_OK ||
        sink->write(sink->context, kEnd, sizeof kEnd) != ISOTICK_OK) {
        return ISOTICK_FAILED;
    }
    return ISOTICK_OK;
}
#define CAPABILITIES (ISOTICK_MANY_INSTANCES | ISOTICK_CAN_SAVE | ISOTICK_HAS_FIELDS)
#else
#define CAPABILITIES ISOTICK_MANY_INSTANCES
#endif

static const isotick_info info = {
    .struct_size = sizeof(isotick_info),
    .rate_numerator = 60,
    .rate_denominator = 1,
    .most_players = 4,
    .usual_players = 2,
    .capabilities = CAPABILITIES,
    .name = "tanks",
    .summary = "four tanks of water in a row",
    .hash_algorithm = "user:fnv1a",
    .config_help = "leak=0..100",
};

static const isotick_simulation_table table = {
    .struct_size = sizeof(isotick_simulation_table),
    .abi_version = ISOTICK_ABI_VERSION,
    .info = &info,
    .create = create,
    .destroy = destroy,
    .step = step,
    .render = render,
    .hash = hash,
    .propose_input = propose_input,
#ifndef TANKS_WITHOUT_SNAPSHOTS
    .save = save,
    .load = load,
    .visit_fields = visit_fields,
#endif
};

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    return &table;
}
#endif
