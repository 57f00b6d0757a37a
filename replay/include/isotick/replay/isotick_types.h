#ifndef ISOTICK_REPLAY_ISOTICK_TYPES_H
#define ISOTICK_REPLAY_ISOTICK_TYPES_H
/* The constants and structs of the C API for live games (isotick.h, which has the rules). C99. */
#include <isotick/core/plugin_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What calls return that fail; those that do not return ISOTICK_OK. */
#define ISOTICK_ERROR_USAGE 10    /* the arguments, or what was called before, make no sense */
#define ISOTICK_ERROR_IO 11       /* the operating system refused or failed */
#define ISOTICK_ERROR_DAMAGED 12  /* a file's bytes are not what they must be */
#define ISOTICK_ERROR_VERSION 13  /* written by a newer isotick */
#define ISOTICK_ERROR_LIMIT 14    /* a stated limit would be exceeded; the disk is too slow */
#define ISOTICK_ERROR_INTERNAL 15 /* no memory, or a mistake of isotick's */

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
    uint32_t overwrite;        /* 1: replace a recording that exists, when finished */
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

#ifdef __cplusplus
}
#endif
#endif
