#ifndef ISOTICK_CORE_PLUGIN_H
#define ISOTICK_CORE_PLUGIN_H
/*
 * The seam between isotick and any simulation: one table of C functions. Pure C99.
 *
 * A shared library exports one function, `isotick_simulation_entry`, that returns its table; the
 * C++ adapter (adapter.hpp) fills the same table for a C++ type.
 *
 * Rules that hold for every call:
 *  - Calls on one simulation are never concurrent, but may come from different threads.
 *  - Calls on different simulations may be concurrent only where the info says
 *    ISOTICK_MANY_INSTANCES.
 *  - Pointers passed in are valid during the call only, unless a comment says otherwise.
 *  - A call that fails returns a status other than ISOTICK_OK and may write a reason into the
 *    message. After a failed call the host calls nothing but `destroy`.
 *  - No exception and no longjmp may leave a call. (The host reports an exception as a crash.)
 *
 * Versions: every struct begins with its own size in bytes as its author compiled it. Members are
 * only ever added at the end; a reader uses those that both sides know. `abi_version` changes only
 * when something that exists changes its meaning; a host refuses a table of another abi_version.
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISOTICK_ABI_VERSION 1u

/* The player index of inputs that belong to no player (weather, a script, the server). */
#define ISOTICK_WORLD 0xffffffffu

/* The most parts a state may have. */
#define ISOTICK_MOST_PARTS 256u

/* The longest input of one player for one tick, in bytes. */
#define ISOTICK_LONGEST_INPUT 65536u

/* Return values of calls. */
#define ISOTICK_OK 0
#define ISOTICK_FAILED 1       /* the simulation cannot go on: reported as a crash with its text */
#define ISOTICK_BAD_SETTINGS 2 /* from create: seed, players, rate or config are not acceptable */

/* What a simulation can do: bits of isotick_info.capabilities. Declared, never guessed. */
#define ISOTICK_MANY_INSTANCES UINT64_C(1) /* several may live in one process at a time */
#define ISOTICK_OWN_THREADS UINT64_C(2)    /* it runs threads of its own */
#define ISOTICK_CHANGING_DT UINT64_C(4)    /* step accepts a dt that differs from tick to tick */

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

typedef struct isotick_simulation_table {
    uint32_t struct_size;
    uint32_t abi_version; /* ISOTICK_ABI_VERSION */

    /* Not null. */
    const isotick_info* info;

    /* Makes a simulation in its initial state (before tick 0). On ISOTICK_OK *out is not null and
     * belongs to the caller until `destroy`; on failure *out is not used. Not null. */
    int32_t (*create)(const isotick_setup* setup, isotick_simulation** out,
                      isotick_message* message);

    /* Releases everything. Called exactly once for each simulation created. Not null. */
    void (*destroy)(isotick_simulation* simulation);

    /* A frame of the host begins and took `frame_time_ns` (zero and negative happen). Must not
     * change what later hashes see. Null: not interested. */
    int32_t (*begin_frame)(isotick_simulation* simulation, int64_t frame_time_ns,
                           isotick_message* message);

    /* Advances by one tick. Not null. */
    int32_t (*step)(isotick_simulation* simulation, const isotick_step* step,
                    isotick_message* message);

    /* Draws the state, blended between the last two ticks by alpha in [0, 1). Headless: do all
     * that the real renderer's bookkeeping does, show nothing. Must not change what later hashes
     * see. Null: not interested. */
    int32_t (*render)(isotick_simulation* simulation, double alpha, isotick_message* message);

    /* Writes the parts of the state, at most `capacity` (ISOTICK_MOST_PARTS), and their number, at
     * least 1. Names and order are the same at every call on one simulation. Must not change the
     * state. Not null. */
    int32_t (*hash)(isotick_simulation* simulation, isotick_part* parts, uint32_t capacity,
                    uint32_t* count, isotick_message* message);

    /* Fills in an input (a bot). Must not change the state. Null: it has no bot. */
    int32_t (*propose_input)(isotick_simulation* simulation, isotick_proposal* proposal,
                             isotick_message* message);
} isotick_simulation_table;

/* What a plug-in exports. Returns the same table at every call, valid while the library is
 * loaded; not null. */
#if defined(_WIN32)
#define ISOTICK_PLUGIN_EXPORT __declspec(dllexport)
#else
#define ISOTICK_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

#define ISOTICK_PLUGIN_ENTRY "isotick_simulation_entry"
typedef const isotick_simulation_table* (*isotick_simulation_entry_function)(void);

#ifdef __cplusplus
}
#endif

#endif
