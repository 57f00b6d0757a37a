/* The C API as a C compiler sees it: what each call refuses, and how it says so. Leaves files named
 * c_api_test.… in the folder it runs in. */
#include <isotick/replay/isotick.h>

#include <stdio.h>
#include <string.h>

static char text[512];
static isotick_message message = {text, sizeof text};
static int failures = 0;

static void check_at(int line, int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "c_api_test.c:%d: %s does not hold; the message is \"%s\"\n", line, what,
                text);
        ++failures;
    }
}
#define CHECK(condition) check_at(__LINE__, (condition) != 0, #condition)
#define CHECK_SAYS(part) check_at(__LINE__, strstr(text, part) != NULL, "the message: " part)

static const char* path_of(const char* name) {
    static char path[64];
    snprintf(path, sizeof path, "c_api_test.%s", name);
    return path;
}

static const isotick_recording_head game = {
    .struct_size = sizeof game, .simulation = "counter", .players = 1};
static const isotick_input nobody[] = {{0, 0, 0, NULL}, {ISOTICK_WORLD, 0, 0, NULL}};

static isotick_hashes state_after(uint64_t ticks_done) {
    isotick_hashes hashes = {1000 + ticks_done, NULL, 0, 0};
    return hashes;
}

static isotick_recorder* create(const char* name, const isotick_recorder_options* options) {
    const isotick_hashes initial = state_after(0);
    isotick_recorder* recorder = NULL;
    CHECK(isotick_recorder_create(path_of(name), &game, &initial, options, &recorder, &message) ==
          ISOTICK_OK);
    return recorder;
}

static int32_t record(isotick_recorder* recorder, uint64_t tick) {
    const isotick_hashes hashes = state_after(tick + 1);
    return isotick_recorder_record(recorder, tick, nobody, 2, &hashes, &message);
}

static void records_and_finishes(void) {
    const isotick_hashes last = state_after(200);
    isotick_recorder* recorder = create("whole", NULL);
    for (uint64_t tick = 0; tick < 200; ++tick) {
        CHECK(record(recorder, tick) == ISOTICK_OK);
    }
    CHECK(isotick_recorder_finish(recorder, &last, 60000, &message) == ISOTICK_OK);
    CHECK(isotick_recorder_written_through(recorder) == 200);
    isotick_recorder_destroy(recorder);
}

static void refuses_what_makes_no_sense(void) {
    const isotick_hashes initial = state_after(0);
    isotick_recording_head bad = game;
    isotick_recorder* recorder = NULL;
    bad.simulation = NULL;
    CHECK(isotick_recorder_create(path_of("x"), &bad, &initial, NULL, &recorder, &message) ==
          ISOTICK_ERROR_USAGE);
    CHECK_SAYS("names no simulation");
    bad = game;
    bad.struct_size = 0;
    CHECK(isotick_recorder_create(path_of("x"), &bad, &initial, NULL, &recorder, &message) ==
          ISOTICK_ERROR_USAGE);
    CHECK_SAYS("struct_size");
    bad = game;
    bad.config_count = 1;
    CHECK(isotick_recorder_create(path_of("x"), &bad, &initial, NULL, &recorder, &message) ==
          ISOTICK_ERROR_USAGE);
    CHECK_SAYS("setting 0");
    CHECK(isotick_recorder_create(path_of("whole"), &game, &initial, NULL, &recorder, &message) ==
          ISOTICK_ERROR_USAGE);
    CHECK_SAYS("exists");
    CHECK(isotick_recorder_create("no such folder/x", &game, &initial, NULL, &recorder, NULL) ==
          ISOTICK_ERROR_IO);
    CHECK(recorder == NULL);
    isotick_recorder_destroy(NULL);
}

static void says_a_failure_once(void) {
    isotick_recorder* recorder = create("skipped", NULL);
    CHECK(isotick_recorder_failure(recorder, &message) == ISOTICK_OK);
    CHECK(record(recorder, 0) == ISOTICK_OK);
    CHECK(record(recorder, 2) == ISOTICK_ERROR_USAGE);
    CHECK_SAYS("tick 2: is out of order: the next tick is 1");
    CHECK(record(recorder, 1) == ISOTICK_OK); /* said already; nothing is recorded */
    CHECK(isotick_recorder_failure(recorder, &message) == ISOTICK_ERROR_USAGE);
    CHECK(isotick_recorder_confirmed(recorder) == 1);
    isotick_recorder_destroy(recorder);
}

static void rolls_back(void) {
    const isotick_recorder_options options = {.struct_size = sizeof options, .most_unconfirmed = 8};
    const isotick_hashes last = state_after(3);
    isotick_recorder* recorder = create("rollback", &options);
    CHECK(record(recorder, 0) == ISOTICK_OK);
    CHECK(record(recorder, 1) == ISOTICK_OK);
    CHECK(record(recorder, 1) == ISOTICK_OK);
    CHECK(record(recorder, 2) == ISOTICK_OK);
    CHECK(isotick_recorder_confirm(recorder, 2, &message) == ISOTICK_OK);
    CHECK(isotick_recorder_finish(recorder, &last, 60000, &message) == ISOTICK_OK);
    isotick_recorder_destroy(recorder);
}

/* An older caller: its options end before the schedule. */
static void takes_an_older_struct(void) {
    const isotick_playback_options options = {.struct_size = 8, .schedule = "no schedule at all"};
    isotick_playback* playback = NULL;
    CHECK(isotick_playback_open(path_of("whole"), &options, &playback, &message) == ISOTICK_OK);
    isotick_playback_destroy(playback);
}

static void refuses_a_schedule_that_is_none(void) {
    const isotick_playback_options options = {.struct_size = sizeof options, .schedule = "6khz"};
    isotick_playback* playback = NULL;
    CHECK(isotick_playback_open(path_of("whole"), &options, &playback, &message) ==
          ISOTICK_ERROR_USAGE);
    CHECK_SAYS("column");
    CHECK(playback == NULL);
    CHECK(isotick_playback_open(path_of("absent"), NULL, &playback, &message) == ISOTICK_ERROR_IO);
}

/* Plays at one tick a frame; the state after `wrong_tick` is wrong. */
static isotick_playback_report play(uint64_t wrong_tick) {
    isotick_playback_report report = {.struct_size = sizeof report};
    isotick_playback* playback = NULL;
    int64_t frame_time_ns = 0;
    uint64_t tick = 0;
    CHECK(isotick_playback_open(path_of("whole"), NULL, &playback, &message) == ISOTICK_OK);
    CHECK(strcmp(isotick_playback_head(playback)->simulation, "counter") == 0);
    CHECK(isotick_playback_head(playback)->rate_numerator == 60);
    for (; isotick_playback_next_frame(playback, &frame_time_ns); ++tick) {
        const isotick_hashes right = state_after(tick + 1), wrong = {1, NULL, 0, 0};
        const isotick_input* inputs = isotick_playback_inputs(playback, tick);
        CHECK(inputs != NULL && inputs[1].player == ISOTICK_WORLD);
        CHECK(isotick_playback_hash_due(playback, tick) == 1);
        CHECK(isotick_playback_check(playback, tick, tick == wrong_tick ? &wrong : &right) ==
              (tick != wrong_tick));
    }
    CHECK(isotick_playback_inputs(playback, tick) == NULL);
    isotick_playback_finish(playback, &report, &message);
    isotick_playback_destroy(playback);
    return report;
}

static void finds_a_divergence_at_its_tick(void) {
    isotick_playback_report report = play(UINT64_MAX);
    CHECK(report.verdict == ISOTICK_PLAYBACK_IDENTICAL && report.ticks == 200);
    report = play(123);
    CHECK(report.verdict == ISOTICK_PLAYBACK_DIVERGED);
    CHECK(report.diverged_at == 124);
    CHECK(report.recorded == 1124 && report.computed == 1);
    CHECK_SAYS("the hash after tick 123 differs");
}

static int32_t record_dt(isotick_recorder* recorder, uint64_t tick, const isotick_dt* dt) {
    const isotick_hashes hashes = state_after(tick + 1);
    return isotick_recorder_record_dt(recorder, tick, nobody, 2, dt, &hashes, &message);
}

static void keeps_dts(void) {
    const isotick_dt longer = {2, 60, 0};
    const isotick_hashes last = state_after(3);
    isotick_dt measured = {0, 0, 0};
    isotick_recorder* recorder = create("dts", NULL);
    isotick_playback* playback = NULL;
    int64_t frame_time_ns = 0;
    CHECK(isotick_dt_from_seconds(0.375, &measured, &message) == ISOTICK_OK);
    CHECK(measured.numerator == 3 && measured.denominator == 8 && measured.seconds == 0.375);
    CHECK(record_dt(recorder, 0, NULL) == ISOTICK_OK);
    CHECK(record_dt(recorder, 1, &longer) == ISOTICK_OK);
    CHECK(record_dt(recorder, 2, &measured) == ISOTICK_OK);
    CHECK(isotick_recorder_finish(recorder, &last, 60000, &message) == ISOTICK_OK);
    isotick_recorder_destroy(recorder);
    CHECK(isotick_playback_open(path_of("dts"), NULL, &playback, &message) == ISOTICK_OK);
    for (uint64_t tick = 0; isotick_playback_next_frame(playback, &frame_time_ns); ++tick) {
        const isotick_dt expected[] = {{1, 60, 1.0 / 60}, {1, 30, 1.0 / 30}, {3, 8, 0.375}};
        const isotick_hashes hashes = state_after(tick + 1);
        CHECK(isotick_playback_inputs(playback, tick) != NULL);
        isotick_dt dt = {0, 0, 0};
        isotick_playback_dt(playback, tick, &dt);
        CHECK(dt.numerator == expected[tick].numerator);
        CHECK(dt.denominator == expected[tick].denominator);
        CHECK(dt.seconds == expected[tick].seconds);
        CHECK(isotick_playback_check(playback, tick, &hashes) == 1);
    }
    isotick_playback_destroy(playback);
}

static void refuses_what_is_no_dt(void) {
    const isotick_dt nothing = {1, 0, 0};
    isotick_dt dt = {0, 0, 0};
    isotick_recorder* recorder = create("refused", NULL);
    CHECK(record_dt(recorder, 0, &nothing) == ISOTICK_ERROR_USAGE);
    CHECK_SAYS("denominator above zero");
    CHECK(record_dt(recorder, 0, NULL) == ISOTICK_OK);
    isotick_recorder_destroy(recorder);
    CHECK(isotick_dt_from_seconds(-1, &dt, &message) == ISOTICK_ERROR_USAGE);
}

static void keeps_states(void) {
    /* A counter that is 42 (core/FIELDS.md has this example). */
    static const unsigned char fields[] = {1,   0x10, 1,    7,    'c', 'o', 'u', 'n',  't',
                                           'e', 'r',  0x22, 0x2a, 0,   0,   0,   0x11, 0};
    isotick_state_ring* ring = NULL;
    CHECK(isotick_state_ring_create("counter", NULL, 0, &ring, &message) == ISOTICK_ERROR_USAGE);
    CHECK(isotick_state_ring_create("counter", NULL, 2, &ring, &message) == ISOTICK_OK);
    for (uint64_t ticks_done = 5; ticks_done < 8; ++ticks_done) {
        CHECK(isotick_state_ring_keep(ring, ticks_done, 9, fields, sizeof fields, &message) ==
              ISOTICK_OK);
    }
    CHECK(isotick_state_ring_write(ring, 5, path_of("state"), &message) == ISOTICK_ERROR_USAGE);
    CHECK_SAYS("is not kept");
    CHECK(isotick_state_ring_write(ring, 6, path_of("state"), &message) == ISOTICK_OK);
    CHECK(isotick_state_ring_write(ring, 7, path_of("state"), &message) == ISOTICK_ERROR_USAGE);
    CHECK_SAYS("exists");
    CHECK(isotick_state_ring_keep(ring, 8, 9, fields, 5, &message) == ISOTICK_OK);
    CHECK(isotick_state_ring_write(ring, 8, path_of("x"), &message) == ISOTICK_ERROR_USAGE);
    CHECK_SAYS("is not a whole field stream");
    isotick_state_ring_destroy(ring);
}

int main(void) {
    const char* const files[] = {"whole", "x", "skipped", "rollback", "state", "dts", "refused"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        remove(path_of(files[i]));
    }
    CHECK(isotick_api_version() == ISOTICK_API_VERSION);
    CHECK(isotick_hash_bytes("", 0) == UINT64_C(0x2d06800538d394c2)); /* XXH3-64 of nothing */
    records_and_finishes();
    refuses_what_makes_no_sense();
    says_a_failure_once();
    rolls_back();
    takes_an_older_struct();
    refuses_a_schedule_that_is_none();
    finds_a_divergence_at_its_tick();
    keeps_dts();
    refuses_what_is_no_dt();
    keeps_states();
    return failures == 0 ? 0 : 1;
}
