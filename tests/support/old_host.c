/* A host that was written when the seam had its first table (seam_v1), and knows no other: loads a
 * plug-in, runs 60 ticks of two players and prints the part hashes before and after each. The first
 * player's input has tick % 4 of the bytes 7 1 2, the second one's is absent.
 *
 * Usage: old_host PLUGIN.so SEED */
#include <isotick/core/plugin.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS 60
#define PLAYERS 2

static char text[256];
static isotick_message message = {text, sizeof text};

static void need(int good, const char* what) {
    if (!good) {
        fprintf(stderr, "old_host: %s %s\n", what, text);
        exit(1);
    }
}

static const isotick_simulation_table* load(const char* path) {
    isotick_simulation_entry_function entry = NULL;
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library == NULL ? NULL : dlsym(library, ISOTICK_PLUGIN_ENTRY);
    need(symbol != NULL, "this is no plug-in:");
    memcpy(&entry, &symbol, sizeof entry);
    const isotick_simulation_table* const table = entry();
    need(table != NULL && table->abi_version == ISOTICK_ABI_VERSION, "another abi_version");
    need(table->struct_size >= sizeof *table, "the table is too small");
    need(table->info->struct_size >= sizeof *table->info, "the info is too small");
    return table;
}

static void print_hashes(const isotick_simulation_table* table, isotick_simulation* simulation,
                         uint64_t ticks_done) {
    isotick_part parts[ISOTICK_MOST_PARTS];
    uint32_t count = 0;
    need(table->hash(simulation, parts, ISOTICK_MOST_PARTS, &count, &message) == ISOTICK_OK,
         "hash failed:");
    printf("%" PRIu64, ticks_done);
    for (uint32_t i = 0; i < count; ++i) {
        printf(" %s=%016" PRIx64, parts[i].name, parts[i].hash);
    }
    printf("\n");
}

static void run_tick(const isotick_simulation_table* table, isotick_simulation* simulation,
                     uint64_t tick) {
    static const uint8_t kPush[] = {7, 1, 2};
    const uint64_t size = tick % 4;
    const isotick_input inputs[PLAYERS + 1] = {
        {0, 1, size, kPush}, {1, 0, 0, NULL}, {ISOTICK_WORLD, 0, 0, NULL}};
    const isotick_step step = {sizeof step, PLAYERS + 1, tick, 1.0 / 60, 1, 60, inputs};
    if (table->begin_frame != NULL) {
        need(table->begin_frame(simulation, 16666667, &message) == ISOTICK_OK, "begin_frame");
    }
    need(table->step(simulation, &step, &message) == ISOTICK_OK, "step failed:");
    if (table->render != NULL) {
        need(table->render(simulation, 0.5, &message) == ISOTICK_OK, "render failed:");
    }
}

int main(int count, char** arguments) {
    isotick_simulation* simulation = NULL;
    isotick_setup setup = {sizeof setup, PLAYERS, 0, 60, 1, 0, 0, NULL, NULL};
    need(count == 3, "usage: old_host PLUGIN.so SEED");
    setup.seed = strtoull(arguments[2], NULL, 10);
    const isotick_simulation_table* const table = load(arguments[1]);
    need(table->create(&setup, &simulation, &message) == ISOTICK_OK, "create failed:");
    print_hashes(table, simulation, 0);
    for (uint64_t tick = 0; tick < TICKS; ++tick) {
        run_tick(table, simulation, tick);
        print_hashes(table, simulation, tick + 1);
    }
    table->destroy(simulation);
    return 0;
}
