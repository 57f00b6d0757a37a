#!/usr/bin/env python3
"""The simulation of the worked example in harness/PROTOCOL.md: hashes of its own, no more."""

import isotick


class Counter:
    """The sum of all bytes that players put in."""
    info = isotick.Info("counter", players=(0, 2, 1), changing_dt=True,
                                hash_algorithm="user:sum")

    def __init__(self, setup):
        self.sum = 0

    def step(self, step):
        self.sum += sum(sum(each) for each in step.inputs if each is not None)

    def hash(self):
        return [self.sum]


if __name__ == "__main__":
    isotick.serve(Counter)
