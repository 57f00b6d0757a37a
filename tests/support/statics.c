/* A plug-in in C as games of one match are: all state is static, and a snapshot is a copy of it,
 * padding and all. Knows nothing of isotick but the seam.
 *
 *   STATICS_FORGET  the wind is remembered from tick to tick, in a static that is neither hashed
 *                   nor saved; else each tick makes it anew
 *   STATICS_TURNS   every second tick is another, by a static that is neither hashed nor saved
 */
#include <isotick/core/plugin.h>

#include <string.h>

typedef struct {
    uint8_t kind;
    uint32_t height; /* padding before it */
} drop;

typedef struct {
    uint8_t weather; /* and behind it */
    uint64_t random;
    drop drops[4];
} world;

static world now;
static volatile uint64_t wind; /* else compilers drop what each tick makes anew */
static uint32_t frames_drawn;

struct isotick_simulation {
    int unused;
};
static isotick_simulation only;

static int32_t create(const isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message) {
    (void)table;
    (void)message;
    memset(&now, 0, sizeof now);
    now.random = setup->seed;
    wind = 1;
    *out = &only;
    return ISOTICK_OK;
}

static void destroy(isotick_simulation* simulation) {
    (void)simulation;
}

static uint64_t draw(void) {
    now.random = now.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return now.random >> 33;
}

static int32_t step(isotick_simulation* simulation, const isotick_step* at,
                    isotick_message* message) {
    static uint64_t steps;
    (void)simulation;
    (void)message;
    ++steps;
#ifdef STATICS_FORGET
    wind = wind * 3 + now.random % 5;
#else
    wind = now.random % 5;
#endif
#ifdef STATICS_TURNS
    static volatile uint64_t turn;
    turn = (turn + 1) % 2;
    now.drops[0].height += (uint32_t)turn;
#endif
    now.weather = (uint8_t)(draw() % 3);
    for (int i = 0; i < 4; ++i) {
        now.drops[i].kind = (uint8_t)(draw() % 5);
        now.drops[i].height += (uint32_t)(wind % 7 + at->inputs[0].size);
    }
    return ISOTICK_OK;
}

static int32_t render(isotick_simulation* simulation, double alpha, isotick_message* message) {
    (void)simulation;
    (void)alpha;
    (void)message;
    ++frames_drawn;
    return ISOTICK_OK;
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
    return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static int32_t hash(isotick_simulation* simulation, isotick_part* parts, uint32_t capacity,
                    uint32_t* count, isotick_message* message) {
    uint64_t all = mixed(mixed(1, now.weather), now.random);
    (void)simulation;
    (void)capacity;
    (void)message;
    for (int i = 0; i < 4; ++i) {
        all = mixed(mixed(all, now.drops[i].kind), now.drops[i].height);
    }
    parts[0].name = "world";
    parts[0].hash = all;
    *count = 1;
    return ISOTICK_OK;
}

static int32_t propose_input(isotick_simulation* simulation, isotick_proposal* proposal,
                             isotick_message* message) {
    (void)simulation;
    (void)message;
    proposal->present = proposal->player == 0;
    proposal->size = proposal->present ? proposal->entropy % 2 : 0;
    memset(proposal->data, 0, proposal->size);
    return ISOTICK_OK;
}

static int32_t save(isotick_simulation* simulation, const isotick_sink* sink,
                    isotick_message* message) {
    (void)simulation;
    (void)message;
    return sink->write(sink->context, (const uint8_t*)&now, sizeof now);
}

static int32_t load(isotick_simulation* simulation, const uint8_t* data, uint64_t size,
                    isotick_message* message) {
    (void)simulation;
    (void)message;
    if (size != sizeof now) {
        return ISOTICK_FAILED;
    }
    memcpy(&now, data, sizeof now);
    return ISOTICK_OK;
}

static const isotick_info info = {
    .struct_size = sizeof(isotick_info),
    .rate_numerator = 60,
    .rate_denominator = 1,
    .most_players = 1,
    .usual_players = 1,
    .capabilities = ISOTICK_CAN_SAVE,
    .name = "statics",
    .hash_algorithm = "user:mixed",
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
    .save = save,
    .load = load,
};

ISOTICK_PLUGIN_EXPORT const isotick_simulation_table* isotick_simulation_entry(void) {
    return &table;
}
