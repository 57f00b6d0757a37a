#!/usr/bin/env python3
"""The least that has every verb of a tick: what remains is the client's own cost."""

from dataclasses import dataclass

import isotick


@dataclass
class State:
    counter: int


class Trivial:
    info = isotick.Info("trivial", players=(0, 1, 1))
    state: State

    def __init__(self, setup):
        self.state = State(0)

    def begin_frame(self, frame_time_ns):
        pass

    def step(self, step):
        self.state.counter += 1

    def render(self, alpha):
        pass


if __name__ == "__main__":
    isotick.serve(Trivial)
