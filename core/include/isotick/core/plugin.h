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
 * Versions: every struct begins with its size as its author compiled it. Members are only ever
 * added at the end; a reader uses those that both sides know. A host refuses another `abi_version`,
 * which changes only when something that exists changes its meaning.
 */
#include <stddef.h>
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
#define ISOTICK_NOTES_WRITES UINT64_C(512)    /* the table has note_writes */

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
    const char* nan_policy;     /* how NaNs enter the hashes: null or "bits", as they are; "one":
                                 * all NaNs hash alike */
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

    /* Where not null, these are told, with `reads`, of each key whose value is looked up in
     * `config` and in `environment`: until `destroy`, from any thread. A host that varies a setting
     * learns so that nobody looked at it, if the simulation declares ISOTICK_COUNTS_READS. */
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

    /* Where not null, it is told, with `checkpoints`, that the step has come to the point `name`,
     * UTF-8: see isotick_checkpoint. */
    void* checkpoints;
    void (*checkpoint)(void* checkpoints, const char* name);
} isotick_step;

/* Names a point within a step ("ai", "physics"): where the tick of a divergence is explained, the
 * states of both sides are compared at each. Nothing is recorded, and where nobody listens it costs
 * a branch. To be called from the thread of `step`, before that returns, where the state can be
 * hashed: from within it the host may call `hash`, and nothing else. A name may come several times
 * in a step. Never told: hosts of simulations with ISOTICK_QUEUES_CALLS. */
static inline void isotick_checkpoint(const isotick_step* step, const char* name) {
    if (step->struct_size > offsetof(isotick_step, checkpoint) && step->checkpoint) {
        step->checkpoint(step->checkpoints, name);
    }
}

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

#define ISOTICK_MEMORY_OUTSIDE 2

/* Whom a simulation shows the memory that its state lives in. A call that returns
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
     * `visit_fields`, it puts them back. ISOTICK_MEMORY_OUTSIDE: the value is in no object that was
     * shown; at this moment it is at the address, which may be that of a copy. */
    int32_t (*value)(void* context, const char* path, void* address, uint64_t size,
                     uint32_t settable);
} isotick_memory_visitor;

typedef struct isotick_simulation_table {
    uint32_t struct_size;
    uint32_t abi_version;     /* ISOTICK_ABI_VERSION */
    const isotick_info* info; /* not null */

    /* Makes a simulation in its initial state (before tick 0). On ISOTICK_OK *out is not null and
     * belongs to the caller until `destroy`; on failure *out is not used. `table` is this one, as
     * wherever it is passed: a program that makes tables while it runs finds its own data behind
     * it. Not null. */
    int32_t (*create)(const struct isotick_simulation_table* table, const isotick_setup* setup,
                      isotick_simulation** out, isotick_message* message);

    /* Releases everything. Called exactly once for each simulation created. `create` may come again
     * after it in the same process, whatever the capabilities: a test or a server runs sessions one
     * after the other, and each begins as if the process were new. Not null. */
    void (*destroy)(isotick_simulation* simulation);

    /* A frame of the host begins and took `frame_time_ns` (zero and negative happen). Must not
     * change what hashes see. Null: not interested. */
    int32_t (*begin_frame)(isotick_simulation* simulation, int64_t frame_time_ns,
                           isotick_message* message);

    /* Advances by one tick. Not null. */
    int32_t (*step)(isotick_simulation* simulation, const isotick_step* step,
                    isotick_message* message);

    /* Draws the state, blended between the last two ticks by alpha in [0, 1). Headless: keep all of
     * the renderer's books, show nothing. Must not change what hashes see. Null: not interested. */
    int32_t (*render)(isotick_simulation* simulation, double alpha, isotick_message* message);

    /* Writes the state's parts, 1 to `capacity` (ISOTICK_MOST_PARTS), and their number. Names and
     * order are the same at every call on one simulation. Must not change the state. Hashes of
     * bytes may be by `isotick_hash_bytes` (replay/isotick.h), or by any algorithm that the info
     * names. Not null. */
    int32_t (*hash)(isotick_simulation* simulation, isotick_part* parts, uint32_t capacity,
                    uint32_t* count, isotick_message* message);

    /* Fills in an input (a bot). Must not change the state. Null: no bot. */
    int32_t (*propose_input)(isotick_simulation* simulation, isotick_proposal* proposal,
                             isotick_message* message);

    /* From here on not null where the capabilities declare it. Writes all that the future depends
     * on. Must not change the state. */
    int32_t (*save)(isotick_simulation* simulation, const isotick_sink* sink,
                    isotick_message* message);

    /* Replaces the state by one that `save` wrote under the same setup; all hashes to come must be
     * what they were there. The bytes may be damaged or hostile: refuse those. */
    int32_t (*load)(isotick_simulation* simulation, const uint8_t* data, uint64_t size,
                    isotick_message* message);

    /* Writes the state's fields as core/FIELDS.md specifies. Must not change the state. */
    int32_t (*visit_fields)(isotick_simulation* simulation, const isotick_sink* sink,
                            isotick_message* message);

    /* Shows where the state lives in memory, from the root object on. The addresses hold until the
     * next call other than `hash`, `save` and `visit_fields`. Must not change the state. */
    int32_t (*visit_memory)(isotick_simulation* simulation, const isotick_memory_visitor* visitor,
                            isotick_message* message);

    /* Writes what `player`'s input (ISOTICK_WORLD: the world's) of these bytes means, as one JSON
     * value in UTF-8, at most ISOTICK_LONGEST_INPUT_TEXT bytes: for people, who edit it. Needs no
     * simulation and depends on nothing but its arguments; never concurrent with any other call
     * through this table. The bytes may be any at all, hostile ones too: fail where they mean
     * nothing, and they are shown in hexadecimal. Calls that fail here have no consequences. */
    int32_t (*describe_input)(const struct isotick_simulation_table* table, uint32_t player,
                              const uint8_t* data, uint64_t size, const isotick_sink* sink,
                              isotick_message* message);

    /* The way back: writes the bytes of the input that `json` describes, `size` bytes of
     * well-formed UTF-8 JSON, not terminated; at most ISOTICK_LONGEST_INPUT bytes. People wrote it:
     * fail with a message that tells them what makes no sense. For every text that describe_input
     * writes, the result should be the bytes it was given; where it is not, the host goes by the
     * bytes. */
    int32_t (*compose_input)(const struct isotick_simulation_table* table, uint32_t player,
                             const char* json, uint64_t size, const isotick_sink* sink,
                             isotick_message* message);

    /* Under ISOTICK_QUEUES_CALLS, begin_frame, step, render and hash only queue what they are asked
     * for and return ISOTICK_OK; hash writes nothing. The host calls `settle` once for each of
     * them, in order, and before it calls anything else but these four and `destroy`. It waits for
     * that call's end and returns its status and message; of a hash also the parts and their
     * number. So many calls can be on their way to a simulation that is far off. */
    int32_t (*settle)(isotick_simulation* simulation, isotick_part* parts, uint32_t capacity,
                      uint32_t* count, isotick_message* message);

    /* If `log` is null, begins to note each change of the state and the line of code that makes it,
     * and discards earlier notes. Otherwise writes the write log (harness/PROTOCOL.md) to `log` and
     * stops noting; fails if it did not note. For languages whose values have no place in memory
     * that visit_memory could show. Must not change the state. */
    int32_t (*note_writes)(isotick_simulation* simulation, const isotick_sink* log,
                           isotick_message* message);
} isotick_simulation_table;

#if defined(_WIN32)
#define ISOTICK_PLUGIN_EXPORT __declspec(dllexport)
#else
#define ISOTICK_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* What a plug-in exports: the same table at every call, valid while it is loaded; not null. */
#define ISOTICK_PLUGIN_ENTRY "isotick_simulation_entry"
typedef const isotick_simulation_table* (*isotick_simulation_entry_function)(void);

#ifdef __cplusplus
}
#endif
#endif
