#ifndef ISOTICK_REPLAY_ISOTICK_H
#define ISOTICK_REPLAY_ISOTICK_H
/*
 * Recording and playing back a live game, from C and from any language that can call C. Pure C99.
 * The shared library (CMake target isotick::c, pkg-config isotick) exports these symbols alone.
 * recorder.hpp, playback.hpp and state_ring.hpp, the C++ originals, say more about each call.
 *
 * Rules that hold for every call:
 *  - What can fail returns ISOTICK_OK or an ISOTICK_ERROR_… and writes a reason into the message,
 *    which may be null. Nothing throws, prints or exits.
 *  - Pointers passed in are used during the call only; strings are NUL-terminated UTF-8.
 *  - Objects belong to the caller until destroyed; destroying null does nothing. One object is
 *    used by one thread at a time, except isotick_recorder_written_through.
 *  - Structs begin with their size as the caller compiled them (`sizeof`), so that members can be
 *    added at the end. Fill the rest with zeros: zero or null means the default everywhere.
 */
#include <isotick/core/api.h>
#include <isotick/core/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The hashes of one state. `parts` may be null where `part_count` is 0. */
typedef struct isotick_hashes {
    uint64_t state;
    const uint64_t* parts;
    uint32_t part_count;
    uint32_t reserved; /* 0 */
} isotick_hashes;

/* Everything about a recording that is known before tick 0. */
typedef struct isotick_recording_head {
    uint32_t struct_size;
    uint32_t players; /* inputs of a tick: one per player in order, and the world's */
    uint64_t seed;
    uint32_t rate_numerator; /* ticks per second, as a fraction; 0/0: 60 */
    uint32_t rate_denominator;
    uint32_t hash_every;  /* 0: every tick */
    uint32_t parts_every; /* 0: every 60th */
    uint32_t config_count;
    uint32_t note_count;
    uint32_t part_count;           /* 0: one part, "state" */
    uint32_t reserved;             /* 0 */
    const char* simulation;        /* its name; needed */
    const char* hash_algorithm;    /* null: "isotick-xxh3-1"; your own: "user:…" */
    const char* nan_policy;        /* null: "bits" */
    const isotick_setting* config; /* identifies the session */
    const isotick_setting* notes;  /* does not: build id, player names … */
    const char* const* part_names;
} isotick_recording_head;

#define ISOTICK_NEVER_WAIT 0xffffffffu /* for patience_ms: no call ever waits */

/* Null stands for zeros. */
typedef struct isotick_recorder_options {
    uint32_t struct_size;
    uint32_t overwrite;        /* 1: replace a recording that exists, when finished; until then
                                  the new one is NAME.unfinished, NAME.unfinished1 … */
    uint32_t skip_sync;        /* 1: chunks need not survive loss of power */
    uint32_t patience_ms;      /* how long a call may wait for a slow disk; 0: 1000 */
    uint32_t most_queued;      /* chunks waiting for the disk; 0: 4 */
    uint32_t most_unconfirmed; /* ticks that a rollback may go back; 0: ticks are confirmed */
} isotick_recorder_options;

/* For pace_slack: not a tick; or the pace is not judged. */
#define ISOTICK_NO_SLACK UINT64_C(0xffffffffffffffff)
#define ISOTICK_ANY_PACE UINT64_C(0xfffffffffffffffe)

/* Null stands for zeros. */
typedef struct isotick_playback_options {
    uint32_t struct_size;
    uint32_t most_rollback;   /* ticks that the game may go back */
    const char* schedule;     /* null: "nominal"; core/SCHEDULES.md has the grammar */
    int64_t longest_frame_ns; /* what the game's loop cuts frames to; 0: 250 ms, negative: never */
    uint64_t most_ticks;      /* per frame, that the game's loop makes; 0: any number */
    uint64_t pace_slack;      /* ticks it may be ahead or behind; 0: 1, or one of the above */
    uint64_t ticks;           /* how many to play; 0: all */
} isotick_playback_options;

#define ISOTICK_PLAYBACK_IDENTICAL 0
#define ISOTICK_PLAYBACK_DIVERGED 1
#define ISOTICK_PLAYBACK_OFF_PACE 2
#define ISOTICK_PLAYBACK_OUT_OF_ORDER 3
#define ISOTICK_PLAYBACK_UNREADABLE 4
#define ISOTICK_PLAYBACK_INCONCLUSIVE 5

typedef struct isotick_playback_report {
    uint32_t struct_size; /* set by the caller */
    int32_t verdict;      /* ISOTICK_PLAYBACK_… */
    uint64_t ticks;       /* played */
    uint64_t frames;
    uint64_t hashes_compared;
    uint64_t
        diverged_at;   /* ticks done in the state that differs: t + 1 after tick t; if DIVERGED */
    uint64_t recorded; /* the state hashes there */
    uint64_t computed;
} isotick_playback_report;

/* How much one tick advances a game by: numerator / denominator seconds; `seconds` is that as a
 * double, what a game steps by. Where it is passed in, `seconds` is not looked at. */
typedef struct isotick_dt {
    uint64_t numerator;
    uint64_t denominator; /* not zero */
    double seconds;
} isotick_dt;

/* Grows when calls or members are added; a library with a higher one serves older callers. */
#define ISOTICK_API_VERSION 2u
ISOTICK_API uint32_t isotick_api_version(void);

/* XXH3-64 of the bytes: the hash of a part, made of its values little-endian and without padding.
 */
ISOTICK_API uint64_t isotick_hash_bytes(const void* data, uint64_t size);
/* The state hash made of its parts' hashes (of one part, too). Algorithm isotick-xxh3-1. */
ISOTICK_API uint64_t isotick_hash_parts(const uint64_t* parts, uint32_t count);

/* ------------------------------------------------------------------------------- recorder -- */

typedef struct isotick_recorder isotick_recorder;

/* Starts a recording: a file with its head. Waits for it for patience_ms, or a second if that is
 * longer. On failure *out is null. */
ISOTICK_API int32_t isotick_recorder_create(const char* path, const isotick_recording_head* head,
                                            const isotick_hashes* initial,
                                            const isotick_recorder_options* options,
                                            isotick_recorder** out, isotick_message* message);
/* Ends a recording that was not finished as a killed process would, and releases everything. */
ISOTICK_API void isotick_recorder_destroy(isotick_recorder* recorder);

/* 1 if isotick_recorder_record needs the hashes of the state after `tick`. */
ISOTICK_API int32_t isotick_recorder_hash_due(const isotick_recorder* recorder, uint64_t tick);

/* Records a tick: `input_count` is players + 1; `hashes` may be null unless due. The first failure
 * ends the recording and is returned once; later calls do nothing and return ISOTICK_OK. */
ISOTICK_API int32_t isotick_recorder_record(isotick_recorder* recorder, uint64_t tick,
                                            const isotick_input* inputs, uint32_t input_count,
                                            const isotick_hashes* hashes, isotick_message* message);
/* No rollback will go back to `tick` or before. */
ISOTICK_API int32_t isotick_recorder_confirm(isotick_recorder* recorder, uint64_t tick,
                                             isotick_message* message);
/* Completes the file; waits for it `patience_ms` at most. `final_hashes` have all parts. */
ISOTICK_API int32_t isotick_recorder_finish(isotick_recorder* recorder,
                                            const isotick_hashes* final_hashes,
                                            uint32_t patience_ms, isotick_message* message);
/* What ended the recording, if anything: ISOTICK_OK or the failure, as often as it is asked for. */
ISOTICK_API int32_t isotick_recorder_failure(const isotick_recorder* recorder,
                                             isotick_message* message);
/* Confirmed ticks so far. */
ISOTICK_API uint64_t isotick_recorder_confirmed(const isotick_recorder* recorder);
/* Ticks that survive the death of the process, in the file or in the one beside the one that it
 * replaces. Any thread may ask. */
ISOTICK_API uint64_t isotick_recorder_written_through(const isotick_recorder* recorder);

/* ------------------------------------------------------------------------------- playback -- */

typedef struct isotick_playback isotick_playback;

/* Opens a recording. On failure *out is null. */
ISOTICK_API int32_t isotick_playback_open(const char* path, const isotick_playback_options* options,
                                          isotick_playback** out, isotick_message* message);
ISOTICK_API void isotick_playback_destroy(isotick_playback* playback);

/* What to create the game from; valid until destroy. */
ISOTICK_API const isotick_recording_head* isotick_playback_head(const isotick_playback* playback);

/* Ends the frame before and begins the next. 0 when it is over, else 1, and how long it took. */
ISOTICK_API int32_t isotick_playback_next_frame(isotick_playback* playback, int64_t* frame_time_ns);
/* The sum of all frame times so far. */
ISOTICK_API int64_t isotick_playback_clock_ns(const isotick_playback* playback);
/* The players + 1 inputs of the tick that is about to be stepped, valid until the next call of this
 * function; null when it is over: do not step. */
ISOTICK_API const isotick_input* isotick_playback_inputs(isotick_playback* playback, uint64_t tick);
/* 1 if isotick_playback_check needs the hashes of the state after `tick`. */
ISOTICK_API int32_t isotick_playback_hash_due(const isotick_playback* playback, uint64_t tick);
/* Hands in the hashes of the state after `tick`. 0 when it is over, else 1. */
ISOTICK_API int32_t isotick_playback_check(isotick_playback* playback, uint64_t tick,
                                           const isotick_hashes* hashes);
/* Likewise of the state before tick 0, before the first frame; not needed. */
ISOTICK_API int32_t isotick_playback_check_initial(isotick_playback* playback,
                                                   const isotick_hashes* hashes);
/* Push style: calls `frame` with each frame time until it is over. */
ISOTICK_API void isotick_playback_run(isotick_playback* playback,
                                      void (*frame)(void* context, int64_t frame_time_ns),
                                      void* context);
/* The verdict, and all about it in words. Ends the playback. `report` and `text` may be null. */
ISOTICK_API void isotick_playback_finish(isotick_playback* playback,
                                         isotick_playback_report* report, isotick_message* text);

/* ----------------------------------------------------------------------------- state ring -- */

typedef struct isotick_state_ring isotick_state_ring;

/* Keeps the last `states` states in memory. `hash_algorithm` null: "isotick-xxh3-1". */
ISOTICK_API int32_t isotick_state_ring_create(const char* simulation, const char* hash_algorithm,
                                              uint32_t states, isotick_state_ring** out,
                                              isotick_message* message);
ISOTICK_API void isotick_state_ring_destroy(isotick_state_ring* ring);

/* Keeps a state that `ticks_done` ticks made, as a field stream (core/FIELDS.md). */
ISOTICK_API int32_t isotick_state_ring_keep(isotick_state_ring* ring, uint64_t ticks_done,
                                            uint64_t state_hash, const void* fields, uint64_t size,
                                            isotick_message* message);
/* Writes a kept state as a state dump (*.state) for `isotick diff`. No file is replaced. */
ISOTICK_API int32_t isotick_state_ring_write(const isotick_state_ring* ring, uint64_t ticks_done,
                                             const char* path, isotick_message* message);

/* ------------------------------------------------------- ticks with a dt of their own (2) -- */

/* Writes `seconds` as the fraction it is, in lowest terms. Fails where it is negative, or no
 * fraction of 64-bit numbers (less than half a millisecond may be none). */
ISOTICK_API int32_t isotick_dt_from_seconds(double seconds, isotick_dt* dt,
                                            isotick_message* message);

/* As isotick_recorder_record, of a tick that advanced the game by `dt`; null: by the constant one.
 * One with a denominator of 0 is refused without an end to the recording.
 */
ISOTICK_API int32_t isotick_recorder_record_dt(isotick_recorder* recorder, uint64_t tick,
                                               const isotick_input* inputs, uint32_t input_count,
                                               const isotick_dt* dt, const isotick_hashes* hashes,
                                               isotick_message* message);

/* What to step `tick` by, whose inputs were asked for: its own dt, or the constant one. */
ISOTICK_API void isotick_playback_dt(const isotick_playback* playback, uint64_t tick,
                                     isotick_dt* dt);

#ifdef __cplusplus
}
#endif
#endif
