// The world of the rollback game as a plug-in, for `isotick netplay --sim`.

#include "ships.hpp"

ISOTICK_SIMULATION(Ships)
