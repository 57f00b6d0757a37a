#!/usr/bin/env python3
"""A planted fault: a village where a set decides who eats, and its clean twin.

    isotick record -o village.isotick --sim "exec:python3 leaky_sim.py"
    isotick verify village.isotick --sim "exec:python3 leaky_sim.py"    (nondeterministic)

Whoever is hungry queues for food in a set of names. Python iterates it in the order of hashes that
are seeded anew in every process, so each process feeds others. With config order=sorted they are
served by name, and nothing depends on the process.

An input is one byte: meals that a player brings.
"""

from dataclasses import dataclass

import isotick

NAMES = ("ada bea cid dan eva fay gil hal ida jon kit lea max ned oda pia quin ron sue tom ugo "
         "val wim xia yan zoe").split()
MEALS_PER_TICK = 3
HUNGRY = 1.0


@dataclass
class Villager:
    hunger: float
    meals: int


@dataclass
class State:
    villagers: dict[str, Villager]
    queue: set[str]
    store: int  # meals


class Village:
    info = isotick.Info("leaky-village", "villagers who queue in a set",
                                config_help="order=set|sorted (set): who eats first")
    state: State

    def __init__(self, setup):
        setup.refuse_keys_but("order")
        self.in_order = {"set": list, "sorted": sorted}[setup.choice("order", "set", "sorted")]
        self.state = State({name: Villager(HUNGRY, 0) for name in NAMES}, set(), 100)

    def step(self, step):
        state = self.state
        state.store += sum(each[0] for each in step.inputs if each)
        for name, villager in state.villagers.items():
            villager.hunger += step.dt
            if villager.hunger > HUNGRY:
                state.queue.add(name)
        served = self.in_order(state.queue)[:min(MEALS_PER_TICK, state.store)]
        for name in served:
            state.villagers[name].hunger = 0.0
            state.villagers[name].meals += 1
            state.queue.remove(name)
        state.store -= len(served)

    def propose_input(self, player, tick, entropy):
        if player == isotick.WORLD or entropy % 20 != 0:
            return None
        return bytes([entropy // 20 % 50])


if __name__ == "__main__":
    isotick.serve(Village)
