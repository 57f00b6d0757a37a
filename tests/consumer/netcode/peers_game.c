/* A game in C with peers in a loop of its own, over the simulated network: in lockstep and with
 * rollback, and with a peer whose game leaves out an input. */
#include <isotick/harness/isotick_peers.h>

#include <stdio.h>

#define MOST_PEERS 4
#define KEPT 64 /* snapshots; more than a rollback goes back */
#define TICKS 600
#define FRAME_NS INT64_C(16666667)
#define FAULTY_TICK 137

typedef struct game {
    isotick_peer* peer;
    uint64_t state;      /* the whole of it */
    uint64_t kept[KEPT]; /* the state before tick t, at t modulo KEPT */
    int leaves_out;      /* 1: the input of player 0 in one tick */
} game;

static char text[1024];
static isotick_message message = {text, sizeof text};

static uint8_t pad(uint64_t player, uint64_t tick) {
    return (uint8_t)((tick / (7 + player)) * (player + 3));
}

static void step(game* game, const isotick_peer_step* now) {
    uint32_t i, first = game->leaves_out && now->tick == FAULTY_TICK ? 1 : 0;
    if (now->saves) {
        game->kept[now->tick % KEPT] = game->state;
    }
    for (i = first; i < now->input_count; ++i) {
        const isotick_input* input = &now->inputs[i];
        game->state += input->present && input->size > 0 ? input->data[0] + 1u : 0u;
        game->state = game->state * UINT64_C(6364136223846793005) + i;
    }
    isotick_peer_add_hash(game->peer, now->tick, game->state);
}

static int give_inputs(game* game, uint32_t self) {
    uint64_t tick;
    while (isotick_peer_wanted_input(game->peer, &tick)) {
        const uint8_t byte = pad(self, tick);
        const isotick_input own[] = {{self, 1, 1, &byte}, {ISOTICK_WORLD, 0, 0, NULL}};
        const uint32_t count = self == 0 ? 2 : 1; /* peer 0 speaks for the world, too */
        if (isotick_peer_add_input(game->peer, own, count, &message) != ISOTICK_OK) {
            return 0;
        }
    }
    return 1;
}

static int frame(game* game, uint32_t self, isotick_network* network) {
    isotick_delivery arrived = {.struct_size = sizeof arrived};
    isotick_peer_frame begun = {.struct_size = sizeof begun};
    isotick_peer_step now = {.struct_size = sizeof now};
    isotick_outgoing packet = {.struct_size = sizeof packet};
    while (isotick_network_receive(network, self, &arrived)) {
        isotick_peer_receive(game->peer, arrived.from, arrived.data, arrived.size);
    }
    if (!give_inputs(game, self)) {
        return 0;
    }
    isotick_peer_begin_frame(game->peer, isotick_network_now(network), 1, &begun);
    if (begun.back > 0) {
        game->state = game->kept[isotick_peer_tick(game->peer) % KEPT];
    }
    while (isotick_peer_next_step(game->peer, &now)) {
        step(game, &now);
        if (!give_inputs(game, self)) {
            return 0;
        }
    }
    while (isotick_peer_next_packet(game->peer, &packet)) {
        if (isotick_network_send(network, self, packet.to, packet.data, packet.size, &message) !=
            ISOTICK_OK) {
            return 0;
        }
    }
    return 1;
}

static int start(game* games, uint32_t peers, uint32_t mode, uint32_t faulty) {
    uint32_t i;
    for (i = 0; i < peers; ++i) {
        const isotick_peer_options options = {.struct_size = sizeof options,
                                              .mode = mode,
                                              .peers = peers,
                                              .self = i,
                                              .players = peers,
                                              .ticks = TICKS,
                                              .cookie = 0x5eed};
        if (isotick_peer_create(&options, &games[i].peer, &message) != ISOTICK_OK) {
            return 0;
        }
        games[i].leaves_out = i == faulty;
    }
    return 1;
}

static int is_over(const game* games, uint32_t peers) {
    uint32_t i, over = 0;
    for (i = 0; i < peers; ++i) {
        over += isotick_peer_state(games[i].peer) != ISOTICK_PEER_RUNNING ? 1u : 0u;
    }
    return over == peers;
}

static int play(game* games, uint32_t peers, isotick_network* network) {
    int64_t now_ns = 0;
    uint32_t i;
    while (!is_over(games, peers) && now_ns < 120 * 60 * FRAME_NS) {
        now_ns += FRAME_NS;
        if (isotick_network_advance(network, now_ns, &message) != ISOTICK_OK) {
            return 0;
        }
        for (i = 0; i < peers; ++i) {
            if (!frame(&games[i], i, network)) {
                return 0;
            }
        }
    }
    return 1;
}

/* All peers have all ticks and one state. */
static int agreed(const game* games, uint32_t peers) {
    uint32_t i, good = 0;
    for (i = 0; i < peers; ++i) {
        good += isotick_peer_state(games[i].peer) == ISOTICK_PEER_FINISHED &&
                        isotick_peer_verified(games[i].peer) == TICKS &&
                        games[i].state == games[0].state
                    ? 1u
                    : 0u;
    }
    return good == peers;
}

/* Somebody says which peer left, and at which tick. */
static int found(const game* games, uint32_t peers, uint32_t faulty) {
    uint32_t i;
    isotick_hash_mismatch told = {.struct_size = sizeof told};
    for (i = 0; i < peers; ++i) {
        if (isotick_peer_mismatch(games[i].peer, &told)) {
            return told.tick == FAULTY_TICK && told.two_faced == ISOTICK_ANY_NODE &&
                   told.minority == (peers > 2 ? UINT64_C(1) << faulty : 0u);
        }
    }
    return 0;
}

/* Peers of one session; `faulty`: which of them leaves out an input, or `peers`. */
static int run(uint32_t peers, uint32_t mode, const char* network_text, uint32_t faulty) {
    const isotick_network_options options = {
        .struct_size = sizeof options, .nodes = peers, .seed = 7, .text = network_text};
    game games[MOST_PEERS] = {{0}};
    isotick_network* network = NULL;
    uint32_t i;
    int good = isotick_network_create(&options, &network, &message) == ISOTICK_OK &&
               start(games, peers, mode, faulty) && play(games, peers, network) &&
               (faulty == peers ? agreed(games, peers) : found(games, peers, faulty));
    printf("%u peers, %s, %s: %s\n", peers, mode == ISOTICK_PEER_ROLLBACK ? "rollback" : "lockstep",
           network_text,
           !good             ? text[0] != '\0' ? text : "wrong"
           : faulty == peers ? "agreed"
                             : "found");
    for (i = 0; i < peers; ++i) {
        isotick_peer_destroy(games[i].peer);
    }
    isotick_network_destroy(network);
    return good;
}

int main(void) {
    uint32_t mode, peers;
    int good = 1;
    for (mode = ISOTICK_PEER_LOCKSTEP; mode <= ISOTICK_PEER_ROLLBACK; ++mode) {
        for (peers = 2; peers <= MOST_PEERS; ++peers) {
            good &= run(peers, mode, "broadband", peers);
            good &= run(peers, mode, "awful", peers);
            good &= run(peers, mode, "mobile", 1);
        }
    }
    return good ? 0 : 1;
}
