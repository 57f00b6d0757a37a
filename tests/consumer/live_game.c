/* A live game in C, with a main loop of its own: plays and records a match, then plays it back
 * under frame times that no player would have patience for. */
#include <isotick/replay/isotick.h>

#include <stdio.h>

typedef struct game {
    int32_t state[2]; /* position and velocity, little-endian as hashes want it */
    uint64_t tick;
    int64_t waiting_ns;
    isotick_recorder* recorder; /* one of the two */
    isotick_playback* playback;
    uint64_t part;
} game;

static char text[1024];
static isotick_message message = {text, sizeof text};

static isotick_hashes hashes(game* game) {
    isotick_hashes made = {0, &game->part, 1, 0};
    game->part = isotick_hash_bytes(game->state, sizeof game->state);
    made.state = isotick_hash_parts(&game->part, 1);
    return made;
}

static int tick(game* game) {
    uint8_t push = (uint8_t)(game->tick % 50 < 3 ? 5 : 0); /* your gamepad */
    const isotick_input pad[] = {{0, 1, 1, &push}, {ISOTICK_WORLD, 0, 0, NULL}};
    const isotick_input* inputs =
        game->playback ? isotick_playback_inputs(game->playback, game->tick) : pad;
    isotick_hashes made;
    if (inputs == NULL) {
        return 0; /* the recording is over */
    }
    game->state[1] += inputs[0].data[0] - game->state[0] / 64;
    game->state[0] += game->state[1];
    made = hashes(game);
    if (game->playback) {
        return isotick_playback_check(game->playback, game->tick++, &made);
    }
    if (isotick_recorder_record(game->recorder, game->tick++, inputs, 2, &made, &message) !=
        ISOTICK_OK) {
        fprintf(stderr, "%s\n", text); /* said once; the match goes on without a recording */
    }
    return 1;
}

static void frame(void* context, int64_t frame_time_ns) {
    game* running = context;
    const int64_t tick_ns = 16666667, longest_ns = 250000000;
    const int64_t passed = frame_time_ns < longest_ns ? frame_time_ns : longest_ns;
    running->waiting_ns += passed < 0 ? 0 : passed;
    for (; running->waiting_ns >= tick_ns && tick(running); running->waiting_ns -= tick_ns) {
    }
}

static int record(const char* path) {
    game game = {{1000, 0}, 0, 0, NULL, NULL, 0};
    isotick_hashes made = hashes(&game);
    const isotick_recording_head head = {
        .struct_size = sizeof head, .simulation = "spring", .players = 1};
    int status = isotick_recorder_create(path, &head, &made, NULL, &game.recorder, &message);
    if (status != ISOTICK_OK) {
        return status;
    }
    for (int i = 0; i < 1000; ++i) {
        frame(&game, 7000000); /* your main loop, your clock */
    }
    made = hashes(&game);
    status = isotick_recorder_finish(game.recorder, &made, 60000, &message);
    isotick_recorder_destroy(game.recorder);
    return status;
}

int main(int count, char** arguments) {
    game game = {{1000, 0}, 0, 0, NULL, NULL, 0};
    const isotick_playback_options options = {.struct_size = sizeof options,
                                              .schedule = "mix(seed=7)"};
    isotick_playback_report report = {.struct_size = sizeof report};
    const char* path = count > 1 ? arguments[1] : "match.isotick";
    if (record(path) != ISOTICK_OK ||
        isotick_playback_open(path, &options, &game.playback, &message) != ISOTICK_OK) {
        fprintf(stderr, "%s\n", text);
        return 2;
    }
    isotick_playback_run(game.playback, frame, &game);
    isotick_playback_finish(game.playback, &report, &message);
    isotick_playback_destroy(game.playback);
    printf("%s\n", text);
    return report.verdict;
}
