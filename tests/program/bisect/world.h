#pragma once
// What the units of world.c step.
#include <stdint.h>

struct cell {
    float value;
    int32_t count;
};
