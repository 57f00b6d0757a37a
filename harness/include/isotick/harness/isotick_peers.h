#ifndef ISOTICK_HARNESS_ISOTICK_PEERS_H
#define ISOTICK_HARNESS_ISOTICK_PEERS_H
/*
 * A simulated network for netcode of any kind, and the peers of a lockstep or rollback session,
 * from C and from any language that can call C. Pure C99. The shared library (CMake target
 * isotick::peers_c, pkg-config isotick-peers) exports these symbols alone. network.hpp and
 * peer.hpp, the C++ originals, say more about each call; NETWORKS.md describes the networks.
 *
 * Rules that hold for every call:
 *  - What can fail returns ISOTICK_OK or an ISOTICK_ERROR_… and writes a reason into the message,
 *    which may be null. Nothing throws, prints, exits, opens a file or asks for the time.
 *  - Pointers passed in are used during the call only, but for callbacks; strings are
 * NUL-terminated UTF-8. What a call points to is valid until the next call with the same object,
 * unless it says otherwise.
 *  - Objects belong to the caller until destroyed; destroying null does nothing. One object is used
 *    by one thread at a time.
 *  - Structs begin with their size as the caller compiled them (`sizeof`), so that members can be
 *    added at the end, but for isotick_link_trace, which never changes. Fill the rest with zeros:
 *    zero or null means the default everywhere.
 */
#include <isotick/core/api.h>
#include <isotick/core/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when calls or members are added; a library with a higher one serves older callers. */
#define ISOTICK_PEERS_API_VERSION 1u
ISOTICK_API uint32_t isotick_peers_api_version(void);

/* ------------------------------------------------------------------------------- network -- */

typedef struct isotick_network isotick_network;

#define ISOTICK_ANY_NODE 0xffffffffu

/* The content of a file that the text of a network names: `trace(NAME)`. Never changes. */
typedef struct isotick_link_trace {
    const char* name;
    const void* data;
    uint64_t size;
} isotick_link_trace;

typedef struct isotick_network_options {
    uint32_t struct_size;
    uint32_t nodes; /* 2 to 256 */
    uint64_t seed;
    const char* text; /* such as "mobile loss=8%"; null: "perfect" */
    const isotick_link_trace* traces;
    uint32_t trace_count;
    uint32_t log; /* 1: keep what isotick_network_explicit tells */
} isotick_network_options;

/* A packet that arrived. */
typedef struct isotick_delivery {
    uint32_t struct_size; /* set by the caller */
    uint32_t from;
    uint64_t number; /* of the packet on its link, counted from 0 */
    int64_t at_ns;   /* when it arrived */
    const uint8_t* data;
    uint64_t size;
    uint32_t is_copy;
    uint32_t reserved; /* 0 */
} isotick_delivery;

/* sent + duplicated = delivered + lost + overflowed + cut_off + in_flight. */
typedef struct isotick_network_statistics {
    uint32_t struct_size; /* set by the caller */
    uint32_t reserved;    /* 0 */
    uint64_t sent;
    uint64_t sent_bytes; /* without headers */
    uint64_t delivered;  /* received by their node, copies too */
    uint64_t delivered_bytes;
    uint64_t lost;
    uint64_t overflowed; /* no room in the queue, or too much in flight */
    uint64_t cut_off;
    uint64_t duplicated;
    uint64_t overtaken; /* delivered after a packet that was sent later */
    uint64_t in_flight; /* yet to be received */
} isotick_network_statistics;

/* Makes a network at virtual time 0. On failure *out is null. */
ISOTICK_API int32_t isotick_network_create(const isotick_network_options* options,
                                           isotick_network** out, isotick_message* message);
ISOTICK_API void isotick_network_destroy(isotick_network* network);

/* Sends a packet, now. Fails where there is no such link, or with more than 65507 bytes; never
 * because of what the network does to the packet. */
ISOTICK_API int32_t isotick_network_send(isotick_network* network, uint32_t from, uint32_t to,
                                         const void* data, uint64_t size, isotick_message* message);
/* Goes on to a time that is not before isotick_network_now. */
ISOTICK_API int32_t isotick_network_advance(isotick_network* network, int64_t to_ns,
                                            isotick_message* message);
/* 1 and the next packet that arrived at `node`, in the order of arrival; 0: none until later. */
ISOTICK_API int32_t isotick_network_receive(isotick_network* network, uint32_t node,
                                            isotick_delivery* delivery);
/* 1 and when the next packet arrives (or did) at `node`, or at ISOTICK_ANY_NODE; 0: nothing is in
 * flight. */
ISOTICK_API int32_t isotick_network_next_arrival(const isotick_network* network, uint32_t node,
                                                 int64_t* at_ns);
ISOTICK_API int64_t isotick_network_now(const isotick_network* network);
/* Of one link, or with ISOTICK_ANY_NODE for both, of all. */
ISOTICK_API void isotick_network_statistics_of(const isotick_network* network, uint32_t from,
                                               uint32_t to, isotick_network_statistics* statistics);
/* With `log`: the text of a network that delivers the very same packets at the same times without
 * any chance: what to take away from until a failure is gone. Null on failure. */
ISOTICK_API const char* isotick_network_explicit(isotick_network* network,
                                                 isotick_message* message);

/* Runs all that is to be tested on the network, from time 0 on, and returns 1 if it fails. It does
 * not destroy the network. */
typedef int32_t (*isotick_network_fails)(void* context, isotick_network* network);
/* Takes one thing after the other away from what a network does, as long as `fails` returns 1, in
 * the end packet by packet. Calls it `most_runs` times at most (0: 400); it must return the same
 * for the same network. *out is the last network with which it failed, at time 0: the given one if
 * none did. */
ISOTICK_API int32_t isotick_network_shrink(const isotick_network_options* options,
                                           isotick_network_fails fails, void* context,
                                           uint64_t most_runs, isotick_network** out,
                                           isotick_message* message);
/* What the network does, as text that makes it again; valid until it is destroyed. */
ISOTICK_API const char* isotick_network_text(const isotick_network* network);

/* With isotick::clock linked into the program (Linux): from now on every clock of the C and C++
 * libraries shows `ns`, such as isotick_network_now, and sleeps return at once. So a library that
 * asks the system's clock lives in the network's time. Negative, as at the start: the system's
 * clocks. Not thread-safe. */
void isotick_clock_show(int64_t ns);

/* ---------------------------------------------------------------------------------- peer -- */

typedef struct isotick_peer isotick_peer;

#define ISOTICK_PEER_LOCKSTEP 0u /* waits for inputs that are missing */
#define ISOTICK_PEER_ROLLBACK 1u /* guesses them, and goes back where that was wrong */

#define ISOTICK_NO_DELAY 0xffffffffu /* for input_delay: an input counts in the tick it is made */

/* All peers of a session have the same options but for self, incarnation, joins and input_delay. */
typedef struct isotick_peer_options {
    uint32_t struct_size;
    uint32_t mode;
    uint32_t peers;      /* all that may ever take part, spectators too; up to 64 */
    uint32_t spectators; /* the last ones of them, which have no players */
    uint64_t late;       /* bit p: peer p joins on the way, or never */
    uint32_t self;
    uint32_t players;        /* player k belongs to peer k modulo the peers that have players */
    uint32_t rate_numerator; /* ticks per second, as a fraction; 0/0: 60 */
    uint32_t rate_denominator;
    uint64_t ticks;        /* of the session; 0: until it is left */
    uint32_t cookie;       /* random; packets with another one are not looked at */
    uint32_t incarnation;  /* how often this peer was there before; up to 255 */
    uint32_t joins;        /* 1: not there from the start; asks for a snapshot */
    uint32_t input_delay;  /* ticks from when an input is made to when it counts; 0: 2 */
    uint32_t fixed_delay;  /* 1: the delay does not follow the network */
    uint32_t most_guessed; /* rollback: ticks that it runs ahead of what it knows; 0: 8 */
    uint32_t hash_every;   /* ticks between two reports of hashes; 0: 8 */
    uint32_t reserved;     /* 0 */
    int64_t silence_ns;    /* after which a peer counts as gone; 0: 3 s */
    /* The game's own guess at what a peer's players do: `inputs` are theirs as last known; what is
     * changed may point to memory that lasts until the next call. Null: as last known. */
    void (*guess)(void* context, uint32_t peer, uint64_t tick, isotick_input* inputs,
                  uint32_t input_count);
    void* context;
} isotick_peer_options;

/* What to do in a frame before its steps. */
typedef struct isotick_peer_frame {
    uint32_t struct_size; /* set by the caller */
    uint32_t waits;       /* 1: fewer ticks are run than were due, as it is ahead of the others */
    uint64_t back;        /* ticks to undo: load the state before isotick_peer_tick */
} isotick_peer_frame;

/* A tick to run now. */
typedef struct isotick_peer_step {
    uint32_t struct_size; /* set by the caller */
    uint32_t saves;       /* 1: keep a snapshot of the state before it; it may be gone back to */
    uint64_t tick;
    const isotick_input* inputs; /* one per player in order, the world's last */
    uint32_t input_count;
    uint32_t again;   /* 1: it was run before, on other inputs */
    uint64_t guessed; /* bit p: peer p's inputs are a guess */
} isotick_peer_step;

/* A packet to send. */
typedef struct isotick_outgoing {
    uint32_t struct_size; /* set by the caller */
    uint32_t to;
    const uint8_t* data;
    uint64_t size;
} isotick_outgoing;

/* The first tick whose hashes differ. */
typedef struct isotick_hash_mismatch {
    uint32_t struct_size; /* set by the caller */
    uint32_t two_faced;   /* a peer that told others different inputs, or ISOTICK_ANY_NODE */
    uint64_t tick;
    uint64_t minority; /* bit p: peer p; 0 where no side is the smaller one */
} isotick_hash_mismatch;

typedef struct isotick_peer_statistics {
    uint32_t struct_size; /* set by the caller */
    uint32_t input_delay; /* now */
    uint64_t confirmed;   /* ticks run on inputs that are known */
    uint64_t steps;
    uint64_t rollbacks;
    uint64_t run_again; /* steps that ran a tick again */
    uint64_t most_back;
    uint64_t stalls; /* frames */
    uint64_t waits;  /* frames */
    uint64_t packets_sent;
    uint64_t bytes_sent;
    uint64_t packets_received;
    uint64_t packets_refused;
    uint64_t strangers; /* packets with another cookie */
} isotick_peer_statistics;

#define ISOTICK_PEER_JOINING 0   /* waits for a snapshot */
#define ISOTICK_PEER_RUNNING 1   /* takes part */
#define ISOTICK_PEER_FINISHED 2  /* has all ticks, and so has a majority */
#define ISOTICK_PEER_LEFT 3      /* said so */
#define ISOTICK_PEER_DROPPED 4   /* the others go on without it */
#define ISOTICK_PEER_ALONE 5     /* fewer than half are left */
#define ISOTICK_PEER_DISAGREED 6 /* hashes differ */

/* In each frame: isotick_peer_receive what has come, begin_frame, next_step until there is none,
 * each with add_hash, then next_packet until there is none; add_input whenever wanted_input asks
 * for one. On failure *out is null. */
ISOTICK_API int32_t isotick_peer_create(const isotick_peer_options* options, isotick_peer** out,
                                        isotick_message* message);
ISOTICK_API void isotick_peer_destroy(isotick_peer* peer);

/* 1 and the tick for which this peer's own inputs are wanted now; 0: none. */
ISOTICK_API int32_t isotick_peer_wanted_input(const isotick_peer* peer, uint64_t* tick);
/* Those inputs: of its players, ascending, and for peer 0 the world's last. */
ISOTICK_API int32_t isotick_peer_add_input(isotick_peer* peer, const isotick_input* inputs,
                                           uint32_t input_count, isotick_message* message);
/* A packet that arrived. Whatever it holds, nothing worse happens than that it is counted. */
ISOTICK_API void isotick_peer_receive(isotick_peer* peer, uint32_t from, const void* data,
                                      uint64_t size);
/* Begins a frame at `now_ns` of a clock of its own, in which the game's loop wants `due` ticks. */
ISOTICK_API void isotick_peer_begin_frame(isotick_peer* peer, int64_t now_ns, uint64_t due,
                                          isotick_peer_frame* frame);
/* 1 and the next tick to run in this frame; 0: no more. */
ISOTICK_API int32_t isotick_peer_next_step(isotick_peer* peer, isotick_peer_step* step);
/* 1 if this frame ran fewer ticks than were due since others' inputs are missing. */
ISOTICK_API int32_t isotick_peer_is_stalled(const isotick_peer* peer);
/* The hash of the state after a tick that was just run, whether on guesses or not. */
ISOTICK_API void isotick_peer_add_hash(isotick_peer* peer, uint64_t tick, uint64_t hash);
/* 1 and the next packet to send; 0: no more. */
ISOTICK_API int32_t isotick_peer_next_packet(isotick_peer* peer, isotick_outgoing* packet);

/* 1 if somebody who joins needs a snapshot of the state that *ticks_done ticks made. */
ISOTICK_API int32_t isotick_peer_wanted_snapshot(const isotick_peer* peer, uint64_t* ticks_done);
ISOTICK_API int32_t isotick_peer_add_snapshot(isotick_peer* peer, const void* data, uint64_t size,
                                              isotick_message* message);
/* 1, once, when a snapshot has come that this peer joins by: load it. It is the state that
 * *ticks_done ticks made, and valid until the peer is destroyed. */
ISOTICK_API int32_t isotick_peer_take_arrival(isotick_peer* peer, uint64_t* ticks_done,
                                              const uint8_t** data, uint64_t* size);
/* Says good-bye; the packets that say so are still to be sent. */
ISOTICK_API void isotick_peer_leave(isotick_peer* peer);

/* ISOTICK_PEER_… */
ISOTICK_API int32_t isotick_peer_state(const isotick_peer* peer);
/* The next tick to be run. */
ISOTICK_API uint64_t isotick_peer_tick(const isotick_peer* peer);
/* Ticks below were run on inputs that are known, and stand. */
ISOTICK_API uint64_t isotick_peer_verified(const isotick_peer* peer);
/* Of all ticks below the inputs are known. */
ISOTICK_API uint64_t isotick_peer_confirmed(const isotick_peer* peer);
/* Whose inputs are missing for the next tick. Bit p: peer p's. */
ISOTICK_API uint64_t isotick_peer_waits_for(const isotick_peer* peer);
/* 1 and where hashes differ; 0: nowhere yet. */
ISOTICK_API int32_t isotick_peer_mismatch(const isotick_peer* peer,
                                          isotick_hash_mismatch* mismatch);
/* What a peer sent that no peer sends, in words; null behind the last one. */
ISOTICK_API const char* isotick_peer_complaint(const isotick_peer* peer, uint32_t index);
ISOTICK_API void isotick_peer_statistics_of(const isotick_peer* peer,
                                            isotick_peer_statistics* statistics);

#ifdef __cplusplus
}
#endif
#endif
