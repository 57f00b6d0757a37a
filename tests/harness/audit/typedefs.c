/* As C programs name their types: compiled with debug information in every build. */

#include <stdint.h>

typedef struct {
    uint32_t seen;
    double forgotten;
} ThrownAway;

typedef struct tagged {
    uint32_t first;
    uint32_t second;
} Tagged;

ThrownAway isotick_test_thrown_away;
Tagged isotick_test_tagged;
