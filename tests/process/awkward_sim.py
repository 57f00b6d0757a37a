#!/usr/bin/env python3
"""Does what a client must survive: prints, reads stdin, starts programs, raises, passes
checkpoints when told to."""

import os
import subprocess
import sys

import isotick

print("printed before serve")


class Awkward:
    info = isotick.Info("awkward", hash_algorithm="user:awkward")
    parts = ("one", "two")

    def __init__(self, setup):
        if setup.config.get("refuse"):
            raise isotick.BadSettings("this config is refused")
        self.steps = 0

    def step(self, step):
        what = step.inputs[0]
        if what == b"print":
            print("printed by print")
            os.write(1, b"printed by write\n")
            subprocess.run(["echo", "printed by a program"], check=True)
        elif what == b"stdin":
            self.steps += 1000 * len(sys.stdin.read())
        elif what == b"raise":
            raise KeyError("planted")
        elif what == b"exit":
            sys.exit(3)
        elif what and what.startswith(b"pass "):
            for name in what.decode()[5:].split(","):
                step.checkpoint(name)
        self.steps += 1

    def hash(self):
        return [self.steps] * (3 if self.steps == 7 else 2)

    def save(self):
        return bytes([self.steps])

    def load(self, data):
        self.steps, = data

    def fields(self):
        return bytes((1, 0x20, self.steps, 0))

    @staticmethod
    def describe_input(player, data):
        return data.decode("ascii")

    @staticmethod
    def compose_input(player, value):
        return value.encode("ascii")


if __name__ == "__main__":
    isotick.serve(Awkward)
