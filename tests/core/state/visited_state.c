#include "visited_state.h"

static void visit_unit(isotick_visitor* v, visited_unit* unit) {
    isotick_begin_object(v, NULL);
    isotick_f32(v, "x", &unit->x);
    isotick_bool(v, "alive", &unit->alive);
    unit->order_count =
        isotick_u16_list(v, "orders", unit->orders, unit->order_count, VISITED_MOST_ORDERS);
    isotick_end(v);
}

static void visit_weather(isotick_visitor* v, visited_state* state) {
    isotick_begin_object(v, "weather");
    isotick_f32(v, "heat", &state->heat);
    isotick_f64(v, "clock", &state->clock);
    isotick_end(v);
}

void visit_state(isotick_visitor* v, visited_state* state) {
    isotick_bool(v, "paused", &state->paused);
    isotick_u8(v, "level", &state->level);
    isotick_u16(v, "width", &state->width);
    isotick_u32(v, "seed", &state->seed);
    isotick_u64(v, "random", &state->random);
    isotick_i8(v, "tilt", &state->tilt);
    isotick_i16(v, "lean", &state->lean);
    isotick_i32(v, "score", &state->score);
    isotick_i64(v, "money", &state->money);
    visit_weather(v, state);
    isotick_f32_array(v, "heights", state->heights, 300);
    isotick_begin_array(v, "corners", 2);
    for (int i = 0; i < 2; ++i) {
        isotick_begin_object(v, NULL);
        isotick_i16(v, "x", &state->corners[i].x);
        isotick_i16(v, "y", &state->corners[i].y);
        isotick_end(v);
    }
    isotick_end(v);
    state->unit_count =
        (int)isotick_begin_list(v, "units", (uint32_t)state->unit_count, VISITED_MOST_UNITS);
    for (int i = 0; i < state->unit_count; ++i) {
        visit_unit(v, &state->units[i]);
    }
    isotick_end(v);
    isotick_text(v, "motto", state->motto, sizeof state->motto);
}
