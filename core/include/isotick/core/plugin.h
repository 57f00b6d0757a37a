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
#include "plugin_types.h" /* beside this file, wherever both are copied to */

#ifdef __cplusplus
extern "C" {
#endif
typedef struct isotick_simulation_table {
    uint32_t struct_size;
    uint32_t abi_version;     /* ISOTICK_ABI_VERSION */
    const isotick_info* info; /* not null */

    /* Makes a simulation in its initial state (before tick 0). On ISOTICK_OK *out is not null and
     * belongs to the caller until `destroy`; on failure *out is not used. Not null, unless there is
     * create_through. */
    int32_t (*create)(const isotick_setup* setup, isotick_simulation** out,
                      isotick_message* message);

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

    /* From here on added later: beyond struct_size in older tables, not null where capabilities
     * declare it. Writes all that the future depends on. Must not change the state. */
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
    int32_t (*describe_input)(uint32_t player, const uint8_t* data, uint64_t size,
                              const isotick_sink* sink, isotick_message* message);

    /* The way back: writes the bytes of the input that `json` describes, `size` bytes of
     * well-formed UTF-8 JSON, not terminated; at most ISOTICK_LONGEST_INPUT bytes. People wrote it:
     * fail with a message that tells them what makes no sense. For every text that describe_input
     * writes, the result should be the bytes it was given; where it is not, the host goes by the
     * bytes. */
    int32_t (*compose_input)(uint32_t player, const char* json, uint64_t size,
                             const isotick_sink* sink, isotick_message* message);

    /* Under ISOTICK_QUEUES_CALLS, begin_frame, step, render and hash only queue what they are asked
     * for and return ISOTICK_OK; hash writes nothing. The host calls `settle` once for each of
     * them, in order, and before it calls anything else but these four and `destroy`. It waits for
     * that call's end and returns its status and message; of a hash also the parts and their
     * number. So many calls can be on their way to a simulation that is far off. */
    int32_t (*settle)(isotick_simulation* simulation, isotick_part* parts, uint32_t capacity,
                      uint32_t* count, isotick_message* message);

    /* What create, describe_input and compose_input are, with the table they are called through.
     * Where not null they are called instead: a program that makes tables while it runs finds its
     * own data behind the table. Null in tables that are constants. */
    int32_t (*create_through)(const struct isotick_simulation_table* table,
                              const isotick_setup* setup, isotick_simulation** out,
                              isotick_message* message);
    int32_t (*describe_input_through)(const struct isotick_simulation_table* table, uint32_t player,
                                      const uint8_t* data, uint64_t size, const isotick_sink* sink,
                                      isotick_message* message);
    int32_t (*compose_input_through)(const struct isotick_simulation_table* table, uint32_t player,
                                     const char* json, uint64_t size, const isotick_sink* sink,
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
