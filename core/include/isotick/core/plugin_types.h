#ifndef ISOTICK_CORE_PLUGIN_TYPES_H
#define ISOTICK_CORE_PLUGIN_TYPES_H
/* The constants and structs of the seam (plugin.h, which has the rules). Pure C99. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define ISOTICK_ABI_VERSION 1u
/* The player index of inputs that belong to no player (weather, a script, the server). */
#define ISOTICK_WORLD 0xffffffffu
#define ISOTICK_MOST_PARTS 256u             /* that a state may have */
#define ISOTICK_LONGEST_INPUT 65536u        /* of one player for one tick, in bytes */
#define ISOTICK_LONGEST_INPUT_TEXT 1048576u /* of its description, in bytes */

/* Return values of calls. */
#define ISOTICK_OK 0
#define ISOTICK_FAILED 1       /* the simulation cannot go on: reported as a crash with its text */
#define ISOTICK_BAD_SETTINGS 2 /* from create: seed, players, rate or config are not acceptable */

/* What a simulation can do: bits of isotick_info.capabilities. Declared, never guessed. */
#define ISOTICK_MANY_INSTANCES UINT64_C(1)    /* several may live in one process at a time */
#define ISOTICK_OWN_THREADS UINT64_C(2)       /* it runs threads of its own */
#define ISOTICK_CHANGING_DT UINT64_C(4)       /* step accepts a dt that differs from tick to tick */
#define ISOTICK_CAN_SAVE UINT64_C(8)          /* the table has save and load */
#define ISOTICK_HAS_FIELDS UINT64_C(16)       /* the table has visit_fields */
#define ISOTICK_HAS_MEMORY UINT64_C(32)       /* the table has visit_memory */
#define ISOTICK_DESCRIBES_INPUTS UINT64_C(64) /* the table has describe_input and compose_input */
#define ISOTICK_QUEUES_CALLS UINT64_C(128)    /* the table has settle */
#define ISOTICK_COUNTS_READS UINT64_C(256)    /* it calls read_config and read_environment */

/* One simulation, defined by the plug-in. */
typedef struct isotick_simulation isotick_simulation;

/* Where a call writes the reason of its failure: at most `capacity` bytes including a closing NUL,
 * cut if longer. UTF-8. Never null, capacity at least 256, empty ("") on entry. */
typedef struct isotick_message {
    char* text;
    uint64_t capacity;
} isotick_message;

/* One key and value, both NUL-terminated UTF-8, never null. */
typedef struct isotick_setting {
    const char* key;
    const char* value;
} isotick_setting;

/* Facts about a simulation that hold before any is created. Lives as long as the table. */
typedef struct isotick_info {
    uint32_t struct_size;
    uint32_t rate_numerator; /* preferred ticks per second, as a fraction; not zero */
    uint32_t rate_denominator;
    uint32_t least_players; /* how many players it supports; 0 and 0 for none */
    uint32_t most_players;
    uint32_t usual_players; /* when the user does not say */
    uint64_t capabilities;
    const char* name;           /* not null, not empty; recordings carry it */
    const char* summary;        /* one line for people; may be null */
    const char* hash_algorithm; /* null: isotick's own; else `user:…` names who made the hashes */
    const char* config_help;    /* the config keys, for people; may be null */
    const char* build_id;       /* commit or version, for people; may be null */

    /* Added later: an info whose struct_size ends before a member does not have it. */
    const char* nan_policy; /* how NaNs enter the hashes: null or "bits", as they are; "one": all
                             * NaNs hash alike */
} isotick_info;

/* What a simulation is created from. `config` is part of the session and is recorded;
 * `environment` (asset paths, log level) is not. Both are sorted by key, without duplicates. */
typedef struct isotick_setup {
    uint32_t struct_size;
    uint32_t players;
    uint64_t seed;
    uint32_t rate_numerator; /* ticks per second of this session */
    uint32_t rate_denominator;
    uint32_t config_count;
    uint32_t environment_count;
    const isotick_setting* config; /* null where the count is 0 */
    const isotick_setting* environment;

    /* Added later: a setup whose struct_size ends before a member does not have it. Where not null,
     * these are told, with `reads`, of each key whose value is looked up in `config` and in
     * `environment`: until `destroy`, from any thread. A host that varies a setting learns so that
     * nobody looked at it, if the simulation declares ISOTICK_COUNTS_READS. */
    void* reads;
    void (*read_config)(void* reads, const char* key);
    void (*read_environment)(void* reads, const char* key);
} isotick_setup;

/* What one player (or ISOTICK_WORLD) contributes to one tick. `present` 0 means absent: no input
 * arrived. Present with size 0 is an input that is empty, which is something else. */
typedef struct isotick_input {
    uint32_t player;
    uint32_t present;
    uint64_t size;       /* 0 when absent; at most ISOTICK_LONGEST_INPUT */
    const uint8_t* data; /* may be null when size is 0 */
} isotick_input;

/* One fixed-dt advance. */
typedef struct isotick_step {
    uint32_t struct_size;
    uint32_t input_count; /* players + 1: one entry per player in order, ISOTICK_WORLD last */
    uint64_t tick;        /* counted from 0, without gaps */
    double dt_seconds;    /* the same bits at every tick unless ISOTICK_CHANGING_DT is used */
    uint64_t dt_num;      /* the exact dt is dt_num / dt_den seconds; 0 / 0 when it is not a */
    uint64_t dt_den;      /* fraction anyone chose (a changing dt measured by a loop) */
    const isotick_input* inputs;
} isotick_step;

/* A named top-level piece of the state and the hash of it. */
typedef struct isotick_part {
    const char* name; /* set by the simulation; valid until destroy */
    uint64_t hash;
} isotick_part;

/* Asks for an input a player might plausibly make now. */
typedef struct isotick_proposal {
    uint32_t struct_size;
    uint32_t player;  /* 0 … players − 1, or ISOTICK_WORLD */
    uint64_t tick;    /* the tick the input would be for */
    uint64_t entropy; /* uniform random bits: the only source of chance to draw on */
    uint8_t* data;    /* out: the input's bytes, room for `capacity` */
    uint64_t capacity;
    uint64_t size;    /* out: bytes written; 0 on entry */
    uint32_t present; /* out: 0 for no input; 0 on entry */
    uint32_t reserved;
} isotick_proposal;

/* Where a simulation writes bytes to, piece after piece (`data` may be null when `size` is 0). When
 * `write` returns anything but ISOTICK_OK, stop and return ISOTICK_FAILED. */
typedef struct isotick_sink {
    void* context;
    int32_t (*write)(void* context, const void* data, uint64_t size);
} isotick_sink;

/* Whom a simulation shows the memory that its state lives in, for audits. A call that returns
 * anything but ISOTICK_OK wants no more: stop and return ISOTICK_FAILED. Strings are UTF-8 and
 * valid during the call; equal ones at equal addresses are seen faster.
 *
 * Objects nest: between `begin_object` and its `end_object` come the values within that object, and
 * objects and values of other places that it owns. An address is null where the memory may be gone
 * when the visit is over: values that exist only for the description's sake. */
typedef struct isotick_memory_visitor {
    void* context;

    /* An object of `size` bytes at `address`: the root object, an element of a container, a member
     * that is a struct, a base (its size then ends before what others keep in its tail padding, and
     * may be 0). `type` is its name in the program (`reference::Unit`), or null. */
    int32_t (*begin_object)(void* context, const char* type, void* address, uint64_t size);
    int32_t (*end_object)(void* context);

    /* `size` bytes at `address` that the state's description sees, of a value at `path`, with [*]
     * for the elements of containers (`units[*].velocity.y`); several numbers in a row may be one
     * value. The path is "" for what a compiler adds to an object (its vtable pointer, the byte of
     * an empty class), and for a root that is a single value. Values may lie within others: what a
     * variant holds, within it. `settable` 1: the bytes are the value itself, and the host may
     * change them for a while, by flipping the lowest bit of any of them, which always makes
     * another value (of a bool, too); before it calls anything but `hash`, `save` and
     * `visit_fields`, it puts them back. */
    int32_t (*value)(void* context, const char* path, void* address, uint64_t size,
                     uint32_t settable);
} isotick_memory_visitor;

#ifdef __cplusplus
}
#endif
#endif
