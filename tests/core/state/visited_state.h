#ifndef ISOTICK_TESTS_CORE_STATE_VISITED_STATE_H
#define ISOTICK_TESTS_CORE_STATE_VISITED_STATE_H
/* A state with every kind of value that visitor.h knows, and its visitor, compiled as C99. */
#include <isotick/core/visitor.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VISITED_MOST_UNITS 4
#define VISITED_MOST_ORDERS 8

typedef struct visited_unit {
    float x;
    bool alive;
    uint32_t order_count;
    uint16_t orders[VISITED_MOST_ORDERS];
} visited_unit;

typedef struct visited_corner {
    int16_t x;
    int16_t y;
} visited_corner;

typedef struct visited_state {
    bool paused;
    uint8_t level;
    uint16_t width;
    uint32_t seed;
    uint64_t random;
    int8_t tilt;
    int16_t lean;
    int32_t score;
    int64_t money;
    float heat;
    double clock;
    float heights[300];
    visited_corner corners[2];
    int unit_count;
    visited_unit units[VISITED_MOST_UNITS];
    char motto[16];
} visited_state;

void visit_state(isotick_visitor* v, visited_state* state);

#ifdef __cplusplus
}
#endif
#endif
