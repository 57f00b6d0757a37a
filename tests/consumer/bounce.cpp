#include "bounce.hpp"

ISOTICK_SIMULATION(Bounce)
